// The picture of a draft: nodes and edges that can be moved, connected, chosen, copied and deleted.

import "@xyflow/react/dist/style.css";
import {
  Background,
  type Connection,
  type Edge,
  type EdgeTypes,
  MarkerType,
  MiniMap,
  type Node,
  type NodeChange,
  type NodeTypes,
  ReactFlow,
  type ReactFlowInstance,
  applyNodeChanges,
} from "@xyflow/react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useText } from "../../app/language";
import { shownTheme, theme } from "../../app/theme";
import { useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import { Empty, Loading } from "../../ui";
import { Workflow } from "lucide-react";
import type { Coverage, Finding } from "./api";
import { type Picture, layout } from "./layout";
import { connect, moveNodes, reconnect } from "./model/commands";
import { EXIT, type Flow, ofPointer } from "./model/flow";
import { FlowEdgeView, FlowNodeView, type Marks, MarksContext } from "./nodes";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const MOST = 3000; // nodes in a picture; beyond them the outline and the text remain
const NODES: NodeTypes = { flow: FlowNodeView };
const EDGES: EdgeTypes = { flow: FlowEdgeView };
const ORDER = { error: 2, warning: 1, info: 0 };

/** The worst finding of each node and edge. */
function worst(flow: Flow, findings: readonly Finding[]): Map<string, Finding> {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const place = ofPointer(flow, finding.pointer);
    if (!place) continue;
    const key = "id" in place ? place.id : place.key;
    const known = found.get(key);
    if (!known || ORDER[finding.severity] > ORDER[known.severity]) found.set(key, finding);
  }
  return found;
}

/** The ids of the nodes and the keys of the edges that the conversations never reached. */
export function neverReached(flow: Flow, coverage: Coverage): Set<string> {
  const never = new Set(coverage.nodes.never.map((each) => each.what));
  const pairs = new Set(coverage.edges.never.map((each) => each.what.replace(/\s*(->|→)\s*/, " -> ")));
  for (const edge of flow.edges.values()) if (pairs.has(`${edge.from} -> ${edge.to}`)) never.add(edge.key);
  return never;
}

const READABLE = 0.55; // the smallest zoom at which labels can be read

/** Shows the whole picture if its labels can be read at that size, otherwise the beginning of the flow. */
function begin(instance: ReactFlowInstance, entry: string): void {
  const all = instance.getNodesBounds(instance.getNodes());
  const place = document.querySelector(".flow-canvas")?.getBoundingClientRect();
  const zoom = place ? Math.min(place.width / all.width, place.height / all.height) : 1;
  const node = instance.getNode(entry);
  if (zoom >= READABLE || !node || !place) void instance.fitView({ padding: 0.12, maxZoom: 1 });
  else {
    const { x, y } = node.position;
    void instance.setCenter(x + (node.width ?? 0) / 2, y + place.height / 2 / 0.8 - 90, { zoom: 0.8 });
  }
}

interface Props {
  coverage: Coverage | null;
  /** The picture is ready: the pane can move it. */
  onReady(instance: ReactFlowInstance): void;
}

export function Canvas({ coverage, onReady }: Props): ReactNode {
  const session = useSession();
  const { flow, current, checked, checkedText, text, selection } = useSessionState();
  const say = useText(words);
  useStore(theme);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [picture, setPicture] = useState<Picture | null>(null);
  const [nodes, setNodes] = useState<Node[]>([]);
  const flowInstance = useRef<ReactFlowInstance | null>(null);
  const tooLarge = (flow?.nodes.size ?? 0) > MOST;

  useEffect(() => {
    if (!flow || tooLarge) return;
    let stale = false;
    layout(flow, open).then((made) => !stale && setPicture(made), failed);
    return () => void (stale = true);
  }, [flow, open, tooLarge]);

  const chosen = useMemo(() => new Set(selection?.kind === "nodes" ? selection.ids : []), [selection]);
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
        draggable: box.node !== null && session.mayEdit,
        connectable: session.mayEdit,
        deletable: false, // Deleting is a command of the pane.
        ...(box.parent === null ? {} : { parentId: box.parent }),
        ariaLabel: box.node ? box.node.id : say.exit,
      })),
    );
  }, [picture, chosen, session.mayEdit, say.exit]);
  const edges = useMemo(
    (): Edge[] =>
      (picture?.lines ?? []).map((line) => {
        const data = flow?.edges.get(line.edge)?.data ?? {};
        const guard = typeof data.guard === "string" ? data.guard : "";
        const label = typeof data.label === "string" && data.label ? data.label : guard;
        return {
          id: line.id,
          source: line.source,
          target: line.target,
          type: "flow",
          data: { line, label, elseEdge: guard === "else" },
          selected: selection?.kind === "edge" && selection.key === line.edge,
          markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
          deletable: false,
          reconnectable: session.mayEdit,
        };
      }),
    [picture, flow, selection, session.mayEdit],
  );

  const findings = useMemo(
    () => (flow && checkedText === text ? worst(flow, checked?.diagnostics ?? []) : new Map<string, Finding>()),
    [flow, checked, checkedText, text],
  );
  const marks = useMemo(
    (): Marks => ({
      findings,
      never: flow && coverage ? neverReached(flow, coverage) : null,
      entries: new Set(flow ? [...flow.graphs.values()].map((graph) => graph.entry) : []),
      toggle: (node) =>
        setOpen((now) => {
          const next = new Set(now);
          if (!next.delete(node)) next.add(node);
          return next;
        }),
    }),
    [findings, flow, coverage],
  );

  const attempt = useCallback(
    (command: (text: string) => string) => {
      try {
        session.apply(command);
      } catch (error) {
        failed(error);
      }
    },
    [session],
  );
  const onNodesChange = useCallback((changes: NodeChange[]) => setNodes((now) => applyNodeChanges(changes, now)), []);
  const onMoved = (_: unknown, __: Node, moved: Node[]) => {
    const places = new Map(moved.filter((each) => flow?.nodes.has(each.id)).map((each) => [each.id, each.position]));
    if (places.size > 0) attempt((now) => moveNodes(now, places));
  };
  const targetOf = (source: string, target: string): { graph: string; to: string } | null => {
    const graph = flow?.nodes.get(source)?.graph;
    if (graph === undefined) return null;
    const isExit = picture?.boxes.some((box) => box.node === null && box.id === target) ?? false;
    if (isExit) return { graph, to: EXIT };
    return flow?.nodes.get(target)?.graph === graph ? { graph, to: target } : null;
  };
  const onConnect = ({ source, target }: Connection) => {
    const end = targetOf(source, target);
    if (end) attempt((now) => connect(now, end.graph, source, end.to));
  };
  const onReconnect = (edge: Edge, { source, target }: Connection) => {
    const end = targetOf(source, target);
    if (end) attempt((now) => reconnect(now, (edge.data as { line: { edge: string } }).line.edge, source, end.to));
  };

  if (tooLarge) return <Empty icon={Workflow} title={say.largeFlow(flow?.nodes.size ?? 0)} />;
  if (!picture || (nodes.length === 0 && picture.boxes.length > 0))
    return flow ? <Loading /> : <Empty icon={Workflow} title={say.syntax} />;
  return (
    <MarksContext value={marks}>
      <ReactFlow
        className={current ? "flow-canvas" : "flow-canvas flow-stale"}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        colorMode={shownTheme()}
        onlyRenderVisibleElements
        minZoom={0.05}
        maxZoom={2}
        onInit={(instance) => {
          flowInstance.current = instance;
          onReady(instance);
          begin(instance, flow?.graphs.get("")?.entry ?? "");
        }}
        onNodesChange={onNodesChange}
        onNodeDragStop={onMoved}
        onSelectionDragStop={(event, moved) => onMoved(event, moved[0] as Node, moved)}
        onConnect={onConnect}
        onReconnect={onReconnect}
        isValidConnection={({ source, target }) => targetOf(source, target) !== null}
        onNodeClick={(event, node) => {
          if (!flow?.nodes.has(node.id)) return;
          const more = event.shiftKey || event.metaKey || event.ctrlKey;
          const others = more ? [...chosen].filter((id) => id !== node.id) : [];
          session.select({ kind: "nodes", ids: more && chosen.has(node.id) ? others : [...others, node.id] });
        }}
        onNodeDoubleClick={(_, node) => flow?.nodes.get(node.id)?.type === "subgraph" && marks.toggle(node.id)}
        onEdgeClick={(_, edge) =>
          session.select({ kind: "edge", key: (edge.data as { line: { edge: string } }).line.edge })
        }
        onPaneClick={() => session.select(null)}
        onSelectionEnd={() => {
          const ids = (flowInstance.current?.getNodes() ?? []).filter((each) => each.selected).map((each) => each.id);
          if (ids.length > 0) session.select({ kind: "nodes", ids });
        }}
        selectionKeyCode="Shift"
        multiSelectionKeyCode={null}
        deleteKeyCode={null}
        proOptions={{ hideAttribution: false }}
        aria-label={say.picture}
      >
        <Background gap={22} size={1} />
        <MiniMap pannable zoomable ariaLabel={say.picture} />
      </ReactFlow>
    </MarksContext>
  );
}
