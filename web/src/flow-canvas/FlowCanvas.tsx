// A flow as a picture that can be moved and zoomed: the editor edits it, the trace shows a way through it.

import "@xyflow/react/dist/style.css";
import "./flow-canvas.css";
import {
  Background,
  type Edge,
  type EdgeTypes,
  MarkerType,
  type Node,
  type NodeChange,
  type NodeTypes,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  type ReactFlowProps,
  applyNodeChanges,
} from "@xyflow/react";
import { Maximize, Workflow, ZoomIn, ZoomOut } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useCommands } from "../app/commands";
import { useText } from "../app/language";
import { useStore } from "../app/store";
import { shownTheme, theme } from "../app/theme";
import { failed } from "../app/toasts";
import { Empty, IconButton, Skeleton, classes } from "../ui";
import { Far } from "./far";
import { type Flow, callees } from "./flow";
import { escapesIn } from "./jumps";
import type { Opened } from "./elkGraph";
import { type Line, type Picture, layout } from "./layout";
import { clickByKey } from "./focus";
import { FlowEdgeView } from "./FlowEdgeView";
import { FlowNodeView, type Marks, type Shown, ShownContext } from "./nodes";
import { Overview } from "./Overview";
import { titleOf } from "./titles";
import { reveal, showAll, showNode } from "./view";
import { words } from "./words";

export const MOST = 3000; // nodes in a picture; beyond them an outline and the text remain
const NODES: NodeTypes = { flow: FlowNodeView };
const EDGES: EdgeTypes = { flow: FlowEdgeView };
const MAP_FROM = 15; // nodes from which a small picture of all of them helps
/** The edge of the flow that a line of the picture is. */
export const edgeOf = (edge: Edge): string => (edge.data as { line: Line }).line.edge;

/** The colour of the arrow of an edge, which is that of its line. */
const colourOf = (edge: string, { way, findings, tones }: Marks, isChosen: boolean): string => {
  if (way?.edges.has(edge)) return "var(--accent)";
  const tone = tones.get(edge);
  if (tone && tone !== "inherited") return TONES[tone];
  if (isChosen) return "var(--accent-strong)";
  const severity = findings.get(edge)?.severity;
  return severity === "error" ? "var(--bad)" : severity === "warning" ? "var(--warn)" : "var(--text-faint)";
};

const TONES = { added: "var(--good)", removed: "var(--bad)", changed: "var(--warn)", moved: "var(--warn)" };

/** A line that no edge of the document makes. */
const NO_LINE = { edge: "", points: [], label: "", look: "jump", labelAt: null } as const;

interface Props extends Omit<ReactFlowProps, "nodes" | "edges" | "onInit" | "aria-label"> {
  flow: Flow;
  /** The subgraphs that are shown in place. */
  open: Opened;
  onOpen(open: Opened): void;
  marks: Marks;
  chosen: ReadonlySet<string>;
  chosenEdge: string | null;
  mayEdit?: boolean;
  /** Offers nodes that can be inserted into an edge, at a point of the page. */
  onInsert?: ((edge: string, at: { x: number; y: number }) => void) | undefined;
  /**
   * The node at which a picture begins that is too large to be shown as a whole. Empty if the owner of the picture
   * shows what it wants.
   */
  begin: string;
  /** The node that comes into view whenever another one is it, such as that where a conversation stands. */
  follow?: string;
  /** The picture is ready: its owner can move it. */
  onReady(instance: ReactFlowInstance): void;
  /** A person moved or zoomed the picture; or had all of it shown again. */
  onMoved?: ((isWhole: boolean) => void) | undefined;
  /** The substitute for a picture that would be too large. */
  tooLarge?: ReactNode;
}

export function FlowCanvas(props: Props): ReactNode {
  const {
    flow,
    open,
    onOpen,
    marks,
    chosen,
    chosenEdge,
    mayEdit = false,
    onInsert,
    begin,
    follow = "",
    onReady,
    onMoved,
    tooLarge,
    onNodeDoubleClick,
    ...rest
  } = props;
  const say = useText(words);
  useStore(theme);
  const [picture, setPicture] = useState<Picture | null>(null);
  const [nodes, setNodes] = useState<Node[]>([]);
  const instance = useRef<ReactFlowInstance | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const isLarge = flow.nodes.size > MOST;

  useEffect(() => {
    if (isLarge) return;
    let stale = false;
    layout(flow, open).then((made) => !stale && setPicture(made), failed);
    return () => void (stale = true);
  }, [flow, open, isLarge]);
  useEffect(() => {
    if (!picture) return;
    setNodes(
      picture.boxes.map((box) => ({
        id: box.id,
        type: "flow",
        position: { x: box.x, y: box.y },
        data: { box },
        width: box.width,
        height: box.height,
        selected: chosen.has(box.id),
        selectable: box.node !== null,
        draggable: box.node !== null && mayEdit,
        connectable: mayEdit,
        focusable: box.refersTo === null, // The button in it has the focus.
        deletable: false, // Deleting is a command of the editor.
        ...(box.parent === null ? {} : { parentId: box.parent }),
        ariaLabel: box.node ? titleOf(box.node) : say.exit,
      })),
    );
  }, [picture, chosen, mayEdit, say.exit]);
  const unseen = useRef("");
  useEffect(() => {
    unseen.current = chosen.size === 1 ? [...chosen].join("") : "";
  }, [chosen]);
  useEffect(() => {
    // A node that was just added is in the picture only now. Afterwards the picture stays where its viewer moves it.
    if (!instance.current || !nodes.some((each) => each.id === unseen.current)) return;
    reveal(instance.current, [unseen.current]);
    unseen.current = "";
  }, [nodes]);
  const followed = useRef("");
  useEffect(() => {
    // A node in a subgraph that is being opened is in the picture only after the layout.
    if (follow && (follow === followed.current || !nodes.some((each) => each.id === follow))) return;
    followed.current = follow;
    if (follow && instance.current) reveal(instance.current, [follow]);
  }, [nodes, follow]);
  const edges = useMemo(
    (): Edge[] =>
      (picture?.lines ?? []).map((line) => ({
        id: line.id,
        source: line.source,
        target: line.target,
        type: "flow",
        data: { line },
        selected: chosenEdge === line.edge,
        markerEnd: {
          type: MarkerType.ArrowClosed,
          width: 16,
          height: 16,
          color: colourOf(line.edge, marks, chosenEdge === line.edge),
        },
        // Edges of the way are drawn over the others.
        zIndex: marks.way?.edges.has(line.edge) ? 1 : 0,
        deletable: false,
        reconnectable: mayEdit && line.look !== "jump",
      })),
    [picture, chosenEdge, mayEdit, marks],
  );
  const jumps = useMemo((): Edge[] => {
    const there = new Set(picture?.boxes.map((box) => box.id));
    const found = (marks.way?.jumps ?? []).filter(({ from, to }) => there.has(from) && there.has(to));
    return found.map(({ from, to }, index): Edge => {
      const line: Line = { ...NO_LINE, points: [], id: `jump ${index}`, source: from, target: to };
      return { id: line.id, source: from, target: to, type: "flow", data: { line }, zIndex: 1, selectable: false };
    });
  }, [picture, marks.way]);
  const zoom = (by: number) => {
    onMoved?.(false);
    if (instance.current) void instance.current.zoomTo(instance.current.getZoom() * by);
  };
  const tools = [
    { id: "canvas.larger", title: say.larger, keys: "+", icon: ZoomIn, run: () => zoom(1.25) },
    { id: "canvas.smaller", title: say.smaller, keys: "-", icon: ZoomOut, run: () => zoom(0.8) },
    {
      id: "canvas.fit",
      title: say.fit,
      keys: "0",
      icon: Maximize,
      run: () => {
        onMoved?.(true);
        if (instance.current) showAll(instance.current, area.current?.getBoundingClientRect());
      },
    },
  ];
  useCommands(tools.map((each) => ({ ...each, group: say.group })));
  const shown = useMemo((): Shown => {
    const refs = (id: string) => {
      const node = flow.nodes.get(id);
      return node ? callees(flow, node) : [];
    };
    return {
      ...marks,
      entries: new Set([...flow.graphs.values()].map((graph) => graph.entry)),
      escapes: escapesIn(flow),
      mayEdit,
      insert: onInsert,
      opens: (id) => refs(id).length > 0,
      name: (id) => {
        const node = flow.nodes.get(id);
        return node ? titleOf(node) : say.exit;
      },
      goTo: (id) => instance.current && reveal(instance.current, [id]),
      // A node that can enter one of several subgraphs shows them one after the other.
      toggle: (id) => {
        const next = new Map(open);
        const following = refs(id)[refs(id).indexOf(next.get(id) ?? "") + 1];
        if (following === undefined) next.delete(id);
        else next.set(id, following);
        onOpen(next);
      },
    };
  }, [marks, flow, open, onOpen, mayEdit, onInsert, say.exit]);
  const onNodesChange = useCallback((changes: NodeChange[]) => setNodes((now) => applyNodeChanges(changes, now)), []);

  if (isLarge) return tooLarge ?? <Empty icon={Workflow} title={say.large(flow.nodes.size)} />;
  if (!picture || (nodes.length === 0 && picture.boxes.length > 0)) return <Skeleton shape="canvas" lines={5} />;
  return (
    <ShownContext value={shown}>
      <ReactFlow
        ref={area}
        nodes={nodes}
        edges={jumps.length > 0 ? [...edges, ...jumps] : edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        colorMode={shownTheme()}
        onlyRenderVisibleElements
        minZoom={0.02}
        maxZoom={2}
        nodesConnectable={mayEdit}
        onInit={(ready) => {
          instance.current = ready;
          if (begin) showNode(ready, begin, marks.way?.nodes ?? null, false, area.current?.getBoundingClientRect());
          onReady(ready);
        }}
        onNodesChange={onNodesChange}
        onMoveStart={(event) => event && onMoved?.(false)}
        onNodeDoubleClick={(event, node) =>
          shown.opens(node.id) ? shown.toggle(node.id) : onNodeDoubleClick?.(event, node)
        }
        onKeyDown={clickByKey}
        disableKeyboardA11y // Its arrow keys would move nodes in the picture only.
        multiSelectionKeyCode={null}
        deleteKeyCode={null}
        proOptions={{ hideAttribution: false }}
        aria-label={say.picture}
        {...rest}
        className={classes("flow-canvas", mayEdit && "flow-editable", rest.className)}
      >
        <Background gap={22} size={1} />
        <Far area={area} />
        <Panel position="bottom-left" className="canvas-tools">
          {tools.map((each) => (
            <IconButton key={each.id} icon={each.icon} label={each.title} keys={each.keys} onClick={each.run} />
          ))}
        </Panel>
        {picture.boxes.length > MAP_FROM && <Overview marks={marks} />}
      </ReactFlow>
    </ShownContext>
  );
}
