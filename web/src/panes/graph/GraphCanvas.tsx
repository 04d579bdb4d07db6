// A part of the graph as a picture that can be moved and zoomed.

import "@xyflow/react/dist/style.css";
import {
  Background,
  type Edge,
  type EdgeTypes,
  MarkerType,
  type Node,
  type NodeTypes,
  Panel,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  useStore,
} from "@xyflow/react";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { useStore as useSetting } from "../../app/store";
import { shownTheme, theme } from "../../app/theme";
import { IconButton, Skeleton, classes } from "../../ui";
import type { GraphNode, GraphPart } from "./api";
import { Layer } from "./Layer";
import type { Places } from "./forces";
import { Legend } from "./Legend";
import { captionOf, degreesOf, edgeId, fromId, countsOf, nodeId, sizeOf, toId, withoutLabels } from "./layout";
import { namedAt } from "./names";
import { type Chosen, ChosenContext, EdgeView, NodeView } from "./parts";
import { usePlaces } from "./usePlaces";
import { words } from "./words";

const NODES: NodeTypes = { node: NodeView };
const EDGES: EdgeTypes = { edge: EdgeView };
const READABLE = 0.6; // the smallest zoom of a picture at which names can be read
const FAR = 0.42; // below this zoom many nodes are dots
const ZOOM_STEPS = 20; // between 0 and 1
const MANY = 150; // nodes that are always drawn with their names
const REPEATED = 12; // edges of a type at a node that are all named
const DENSE = 300; // edges that are elements of the page; more are drawn on one canvas

interface Props {
  part: GraphPart;
  /** The numbers of the colours by label. */
  colours: ReadonlyMap<string, number>;
  /** A name of the shown part, such as a node and its surroundings; nodes keep their places while it stays the same. */
  of: string;
  label: string;
  chosen: string;
  onChoose(node: GraphNode): void;
}

export function GraphCanvas({ part, colours, of, label, chosen, onChoose }: Props): ReactNode {
  const say = useText(words);
  useSetting(theme);
  const places = usePlaces(part, of);
  const degrees = useMemo(() => degreesOf(part), [part]);
  const instance = useRef<ReactFlowInstance | null>(null);
  const [zoomStep, setZoomStep] = useState(ZOOM_STEPS);
  const dots = zoomStep / ZOOM_STEPS < FAR && part.nodes.length > MANY;
  const isLow = zoomStep / ZOOM_STEPS < READABLE;
  const lowZoom = isLow ? Math.max(1, zoomStep) / ZOOM_STEPS : READABLE;
  // Nodes keep their places while others are hidden.
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const visiblePart = useMemo(() => withoutLabels(part, hidden), [part, hidden]);
  const nodes = useMemo(() => nodesOf(visiblePart, places, degrees, lowZoom), [visiblePart, places, degrees, lowZoom]);
  const isDense = visiblePart.edges.length > DENSE;
  const edges = useMemo(
    () => (isDense ? NO_EDGES : edgesOf(visiblePart, places, degrees)),
    [isDense, visiblePart, places, degrees],
  );
  const shown = useMemo((): Chosen => ({ id: chosen, colours, choose: onChoose }), [chosen, colours, onChoose]);
  const isPlaced = part.nodes.some((each) => nodeId(each) in places);

  // Whether the whole picture is wanted: until somebody moves it, it is fitted again when more nodes are placed.
  const isWhole = useRef(false);
  const fit = useCallback(() => {
    isWhole.current = true;
    void instance.current?.fitView({ padding: 0.08, maxZoom: 1.2 });
  }, []);
  useEffect(() => {
    if (isWhole.current) fit();
  }, [places, fit]);
  const zoom = (by: number) => {
    isWhole.current = false;
    if (instance.current) void instance.current.zoomTo(instance.current.getZoom() * by);
  };
  const tools = [
    { id: "canvas.larger", title: say.larger, keys: "+", icon: ZoomIn, run: () => zoom(1.3) },
    { id: "canvas.smaller", title: say.smaller, keys: "-", icon: ZoomOut, run: () => zoom(0.77) },
    { id: "canvas.fit", title: say.fit, keys: "0", icon: Maximize, run: fit },
  ];
  useCommands(tools.map((each) => ({ ...each, group: say.title })));
  /** Chooses the dot that was clicked. */
  const chooseNear = (event: { clientX: number; clientY: number }) => {
    const flow = instance.current;
    if (!flow) return;
    const point = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    let [best, least] = [null as GraphNode | null, 16 / flow.getZoom()];
    for (const node of visiblePart.nodes) {
      const at = places[nodeId(node)];
      const away = at ? Math.hypot(at.x - point.x, at.y - point.y) : Infinity;
      if (away < least) [best, least] = [node, away];
    }
    if (best) onChoose(best);
  };
  // A chosen node is moved into view, once: what its viewer looks at afterwards stays.
  const revealed = useRef("");
  const place = places[chosen];
  useEffect(() => {
    const flow = instance.current;
    if (!flow || !place || revealed.current === chosen) return;
    revealed.current = chosen;
    isWhole.current = false;
    const { x, y } = flow.flowToScreenPosition(place);
    const frame = document.querySelector(".graph-canvas")?.getBoundingClientRect();
    const isVisible =
      frame && x > frame.left + 40 && x < frame.right - 40 && y > frame.top + 40 && y < frame.bottom - 40;
    if (!isVisible || flow.getZoom() < FAR) void flow.setCenter(place.x, place.y, { zoom: 1, duration: 0 });
  }, [place, chosen]);

  if (!isPlaced) return <Skeleton shape="canvas" lines={4} />;
  return (
    <ChosenContext value={shown}>
      <Legend part={part} colours={colours} hidden={hidden} onHide={setHidden} />
      <ReactFlow
        className={classes("graph-canvas", isLow && "graph-low")}
        style={{ "--unzoom": Math.min(3, ZOOM_STEPS / Math.max(1, zoomStep)) } as CSSProperties}
        nodes={dots ? NONE : nodes}
        edges={dots ? NO_EDGES : edges}
        onPaneClick={(event) => dots && chooseNear(event)}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        colorMode={shownTheme()}
        onlyRenderVisibleElements
        minZoom={0.03}
        maxZoom={2.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zIndexMode="manual"
        deleteKeyCode={null}
        selectionKeyCode={null}
        onInit={(ready) => {
          instance.current = ready;
          revealed.current = chosen;
          begin(ready, nodes, chosen);
        }}
        onMoveStart={(event) => event && (isWhole.current = false)}
        aria-label={label}
      >
        <Background gap={22} size={1} />
        <Distance onStep={setZoomStep} />
        {(dots || isDense) && (
          <Layer
            edges={visiblePart.edges}
            dots={dots ? visiblePart.nodes : []}
            places={places}
            degrees={degrees}
            colours={colours}
            chosen={chosen}
          />
        )}
        <Panel position="bottom-left" className="canvas-tools">
          {tools.map((each) => (
            <IconButton key={each.id} icon={each.icon} label={each.title} keys={each.keys} onClick={each.run} />
          ))}
        </Panel>
        {dots && (
          <Panel position="bottom-center" className="graph-far">
            {say.far}
          </Panel>
        )}
      </ReactFlow>
    </ChosenContext>
  );
}

/** Reports the zoom in steps, so that a small change does not draw the picture again. */
function Distance({ onStep }: { onStep(step: number): void }): ReactNode {
  const step = useStore((state) => Math.round(Math.min(1, state.transform[2]) * ZOOM_STEPS));
  useEffect(() => onStep(step), [step, onStep]);
  return null;
}

const NONE: Node[] = [];
const NO_EDGES: Edge[] = [];
/** The ends of edges are in the middle of a node: nothing has to be measured. */
function handlesOf(size: number): NonNullable<Node["handles"]> {
  const centre = { x: size / 2, y: size / 2, width: 0, height: 0 };
  return [
    { type: "source", position: Position.Bottom, ...centre },
    { type: "target", position: Position.Top, ...centre },
  ];
}

function nodesOf(part: GraphPart, places: Places, degrees: ReadonlyMap<string, number>, zoom: number): Node[] {
  const degreeOf = (node: GraphNode) => degrees.get(nodeId(node)) ?? 0;
  const large = namedAt(part, places, degrees, zoom);
  return part.nodes.flatMap((node): Node[] => {
    const place = places[nodeId(node)];
    if (!place) return [];
    const size = sizeOf(degreeOf(node));
    const position = { x: place.x - size / 2, y: place.y - size / 2 };
    const box = { width: size, height: size };
    const data = { node, size, isLarge: large.has(node) };
    return [{ id: nodeId(node), type: "node", position, data, ...box, measured: box, handles: handlesOf(size) }];
  });
}

function edgesOf(part: GraphPart, places: Places, degrees: ReadonlyMap<string, number>): Edge[] {
  const between = new Map<string, number>();
  const counts = new Map(
    countsOf(part.edges.flatMap((each) => [`${each.type}\n${fromId(each)}`, `${each.type}\n${toId(each)}`])),
  );
  const named = new Set<string>();
  const names = new Map(part.nodes.map((each) => [nodeId(each), captionOf(each)]));
  return part.edges.flatMap((edge): Edge[] => {
    const [source, target] = [fromId(edge), toId(edge)];
    if (!(source in places) || !(target in places)) return [];
    const pair = [source, target].sort().join("\n");
    const twin = between.get(pair) ?? 0;
    between.set(pair, twin + 1);
    // Beside a node with many edges of a type, only the first one is named.
    const ends = [`${edge.type}\n${source}`, `${edge.type}\n${target}`];
    const isNamed = ends.every((end) => (counts.get(end) ?? 0) <= REPEATED || !named.has(end));
    for (const end of ends) named.add(end);
    const bend = 16 * Math.ceil(twin / 2) * (twin % 2 ? 1 : -1) * (source < target ? 1 : -1);
    const [from, to] = [sizeOf(degrees.get(source) ?? 0), sizeOf(degrees.get(target) ?? 0)];
    return [
      {
        id: edgeId(edge),
        source,
        target,
        type: "edge",
        data: { type: isNamed ? edge.type : "", bend, from, to, name: names.get(target) ?? edge.to_key },
        markerEnd: MARKER,
      },
    ];
  });
}

const MARKER = { type: MarkerType.ArrowClosed, width: 14, height: 14, color: "context-stroke" };

const HALF = 15; // px, about half a node

/** Shows everything if names can be read at that size, or no node is chosen; otherwise what is around that node. */
function begin(flow: ReactFlowInstance, nodes: readonly Node[], chosen: string): void {
  const frame = document.querySelector(".graph-canvas")?.getBoundingClientRect();
  const [xs, ys] = [nodes.map((each) => each.position.x), nodes.map((each) => each.position.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left + 160, Math.max(...ys) - top + 160];
  const whole = frame ? Math.min(frame.width / width, frame.height / height, 1.1) : 1;
  const node = nodes.find((each) => each.id === chosen);
  const zoom = whole < READABLE && node ? 0.9 : Math.max(0.03, whole);
  const centre = whole < READABLE && node ? node.position : { x: left + width / 2 - 80, y: top + height / 2 - 60 }; // with room for the tools
  void flow.setCenter(centre.x + HALF, centre.y + HALF, { zoom });
}
