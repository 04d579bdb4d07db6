// The picture of a draft: nodes and edges that can be moved, connected, chosen, copied and deleted.

import { type Connection, type Edge, type Node, type ReactFlowInstance } from "@xyflow/react";
import { Plus, Workflow } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { EXIT, type Flow } from "../../flow-canvas/flow";
import { FlowCanvas, edgeOf } from "../../flow-canvas/FlowCanvas";
import { click, focusedPart, moveFocus } from "../../flow-canvas/focus";
import { type Opened, isExit, referredBy } from "../../flow-canvas/elkGraph";
import { type Marks, NO_MARKS, type Way } from "../../flow-canvas/nodes";
import { Empty } from "../../ui";
import type { Coverage } from "./api";
import { CanvasMenu } from "./CanvasMenu";
import { inShort, useHeadline } from "./headlines";
import { connect, moveNodes, reconnect } from "./model/commands";
import { worst } from "./model/flow";
import { inherited, withNodes } from "./model/layers";
import { openedOn } from "../../flow-canvas/way";
import type { Selection } from "./session";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

/** The ids of the nodes and the keys of the edges that the conversations never reached. */
export function neverReached(flow: Flow, coverage: Coverage): Set<string> {
  const never = new Set(coverage.nodes.never.map((each) => each.what));
  const pairs = new Set(coverage.edges.never.map((each) => each.what.replace(/\s*(->|→)\s*/, " -> ")));
  for (const edge of flow.edges.values()) if (pairs.has(`${edge.from} -> ${edge.to}`)) never.add(edge.key);
  return never;
}

/** The point of the page at which nodes are offered. */
interface At {
  x: number;
  y: number;
  /** A key asked for it. */
  byKeys: boolean;
}

/** The command that offers nodes for the chosen edge, or after the chosen node; without one, for what has the focus. */
function useInsertCommand(open: (at: At) => void): void {
  const session = useSession();
  const say = useText(words);
  useCommands([
    {
      id: "editor.insert",
      keys: "i",
      group: say.group,
      title: say.insert,
      icon: Plus,
      isHeld: () => session.state.get().selection === null && !focusedPart(),
      run: () => {
        const part = focusedPart();
        if (part) click(part);
        const { selection, current } = session.state.get();
        const place = part ?? document.querySelector(".react-flow__edge.selected, .flow-node.flow-chosen");
        if (!session.mayEdit || !current || selection === null || !place) return;
        const { left, top, width, height } = place.getBoundingClientRect();
        open({ x: left + width / 2, y: top + height / 2, byKeys: true });
      },
    },
  ]);
}

interface Props {
  coverage: Coverage | null;
  /** The way of the last turn of the trial. */
  way: Way | null;
  /** The picture is ready: the pane can move it. */
  onReady(instance: ReactFlowInstance): void;
  /** A person moved or zoomed the picture, or arranges something in it; or had all of it shown again. */
  onMoved(isWhole: boolean): void;
}

export function Canvas({ coverage, way, onReady, onMoved }: Props): ReactNode {
  const session = useSession();
  const { flow: own, shown: flow, layers, current, checked, checkedText, text, selection } = useSessionState();
  const say = useText(words);
  const headline = useHeadline();
  const [open, setOpen] = useState<Opened>(new Map());
  const [menuAt, setMenuAt] = useState<At | null>(null);
  const flowInstance = useRef<ReactFlowInstance | null>(null);
  const chosen = useMemo(() => new Set(selection?.kind === "nodes" ? selection.ids : []), [selection]);
  const below = useMemo(
    () => (layers && flow && own ? inherited(flow, own, layers.origins) : null),
    [layers, flow, own],
  );
  const marks = useMemo(
    (): Marks => ({
      ...NO_MARKS,
      findings: own && checkedText === text ? worst(own, inShort(checked?.diagnostics ?? [], headline)) : new Map(),
      never: flow && coverage ? neverReached(flow, coverage) : null,
      way,
      tones: below ? new Map([...below.whole].map((key) => [key, "inherited"])) : NO_MARKS.tones,
    }),
    [own, flow, below, coverage, way, checked, checkedText, text, headline],
  );
  useEffect(() => {
    // The way is seen inside the subgraphs that it enters.
    if (flow && way) setOpen((now) => openedOn(flow, way, now));
  }, [flow, way]);
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
  const onDragged = (_: unknown, __: Node, moved: Node[]) => {
    const places = new Map(moved.filter((each) => flow?.nodes.has(each.id)).map((each) => [each.id, each.position]));
    onMoved(false);
    if (places.size > 0) attempt((now) => moveNodes(below && flow ? withNodes(now, flow, places.keys()) : now, places));
  };
  /** The edge, or the node whose field makes the transition. */
  const chosenBy = (edge: Edge): Selection =>
    flow?.edges.has(edgeOf(edge)) ? { kind: "edge", key: edgeOf(edge) } : { kind: "nodes", ids: [edge.source] };
  const openMenu = (event: React.MouseEvent, selection: Selection) => {
    event.preventDefault();
    if (!session.mayEdit || !current) return;
    onMoved(false);
    session.select(selection);
    setMenuAt({ x: event.clientX, y: event.clientY, byKeys: false });
  };
  const openMenuOf = useCallback(
    (edge: string, at: { x: number; y: number }) => {
      onMoved(false);
      session.select({ kind: "edge", key: edge });
      setMenuAt({ ...at, byKeys: false });
    },
    [session, onMoved],
  );
  useInsertCommand(setMenuAt);
  useEffect(() => {
    // The focus goes along where the arrow keys move the choice.
    const [id, ...others] = chosen;
    if (id !== undefined && others.length === 0) moveFocus(id);
  }, [chosen]);
  const targetOf = (source: string, target: string): { graph: string; to: string } | null => {
    const graph = flow?.nodes.get(source)?.graph;
    if (graph === undefined) return null;
    const to = referredBy(target) ?? (isExit(target) ? EXIT : target);
    return to === EXIT || flow?.nodes.get(to)?.graph === graph ? { graph, to } : null;
  };
  const onConnect = ({ source, target }: Connection) => {
    const end = targetOf(source, target);
    if (end) attempt((now) => connect(now, end.graph, source, end.to));
  };
  const onReconnect = (edge: Edge, { source, target }: Connection) => {
    const end = targetOf(source, target);
    if (end) attempt((now) => reconnect(now, edgeOf(edge), source, end.to));
  };

  if (!flow) return <Empty icon={Workflow} title={own?.data.extends === undefined ? say.syntax : say.layersUnread} />;
  const canvas = (
    <FlowCanvas
      className={current ? "" : "flow-stale"}
      flow={flow}
      open={open}
      onOpen={setOpen}
      marks={marks}
      chosen={chosen}
      chosenEdge={selection?.kind === "edge" ? selection.key : null}
      mayEdit={session.mayEdit}
      follow={way?.active ?? ""}
      begin={flow.graphs.get("")?.entry ?? ""}
      onInsert={session.mayEdit && current ? openMenuOf : undefined}
      onReady={(instance) => {
        flowInstance.current = instance;
        onReady(instance);
      }}
      onMoved={onMoved}
      tooLarge={<Empty icon={Workflow} title={say.largeFlow(flow.nodes.size)} />}
      onNodeDragStop={onDragged}
      onSelectionDragStop={(event, moved) => onDragged(event, moved[0] as Node, moved)}
      onConnect={onConnect}
      onReconnect={onReconnect}
      isValidConnection={({ source, target }) => targetOf(source, target) !== null}
      onNodeClick={(event, node) => {
        const id = referredBy(node.id) ?? node.id;
        if (!flow.nodes.has(id)) return;
        const more = event.shiftKey || event.metaKey || event.ctrlKey;
        const others = more ? [...chosen].filter((each) => each !== id) : [];
        session.select({ kind: "nodes", ids: more && chosen.has(id) ? others : [...others, id] });
      }}
      onNodeDoubleClick={(_, node) => flow.nodes.has(node.id) && session.edit({ kind: "nodes", ids: [node.id] })}
      onEdgeClick={(_, edge) => session.select(chosenBy(edge))}
      onNodeContextMenu={(event, node) => {
        const id = referredBy(node.id) ?? node.id;
        if (flow.nodes.has(id)) openMenu(event, { kind: "nodes", ids: chosen.has(id) ? [...chosen] : [id] });
      }}
      onEdgeContextMenu={(event, edge) => openMenu(event, chosenBy(edge))}
      onPaneClick={() => session.select(null)}
      onSelectionEnd={() => {
        const ids = (flowInstance.current?.getNodes() ?? []).filter((each) => each.selected).map((each) => each.id);
        if (ids.length > 0) session.select({ kind: "nodes", ids });
      }}
      selectionKeyCode="Shift"
    />
  );
  return (
    <>
      {canvas}
      {menuAt && <CanvasMenu at={menuAt} byKeys={menuAt.byKeys} onClose={() => setMenuAt(null)} />}
    </>
  );
}
