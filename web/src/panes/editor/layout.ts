// The layout of a flow: layers from top to bottom by ELK in a worker; positions that a person chose are kept.

import type { ELK, ElkEdgeSection, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import workerAddress from "elkjs/lib/elk-worker.min.js?url";
import { EXIT, type Flow, type FlowNode, callee, positionOf, type Position } from "./model/flow";

export const NODE = { width: 216, height: 78 };
const EXIT_SIZE = { width: 72, height: 30 };
const HEADER = 44; // px of an open subgraph above its nodes

export interface Box extends Position {
  id: string;
  /** The node of the flow; null for the exit of a subgraph. */
  node: FlowNode | null;
  /** The subgraph node around it; positions are relative to it. */
  parent: string | null;
  width: number;
  height: number;
  /** An open subgraph: its nodes are inside. */
  open: boolean;
}

export interface Line {
  id: string;
  /** The key of the edge in the flow. */
  edge: string;
  source: string;
  target: string;
  /** The corners of the way, in the coordinates of the whole picture; none where a person moved an end. */
  points: Position[];
}

export interface Picture {
  boxes: Box[];
  lines: Line[];
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.spacing.nodeNodeBetweenLayers": "56",
  "elk.spacing.nodeNode": "36",
  "elk.spacing.edgeNode": "24",
  "elk.layered.spacing.edgeNodeBetweenLayers": "24",
  "elk.json.edgeCoords": "ROOT",
};

let engine: Promise<ELK> | null = null;

const elk = (): Promise<ELK> =>
  (engine ??= import("elkjs/lib/elk-api").then(
    ({ default: Elk }) =>
      new Elk({
        workerFactory: () => new Worker(workerAddress),
      }),
  ));

/** The id of the exit of the subgraph that a node opens. */
export const exitOf = (node: string): string => `${node}\u0000exit`;

interface Built {
  root: ElkNode;
  edges: ElkExtendedEdge[];
  nodes: Map<string, FlowNode>;
  /** By ELK edge: the key, and the ends. */
  keys: Map<string, { edge: string; source: string; target: string }>;
}

function built(flow: Flow, open: ReadonlySet<string>): Built {
  const result: Built = {
    root: { id: "", layoutOptions: OPTIONS, children: [] },
    edges: [],
    nodes: new Map(),
    keys: new Map(),
  };
  const shown = new Set<string>([""]);
  const children = (graph: string, exit: string): ElkNode[] => {
    const found = flow.graphs.get(graph);
    if (!found) return [];
    const inside = found.nodes.flatMap((node): ElkNode[] => {
      if (flow.nodes.get(node.id) !== node) return []; // a second node with the same id
      result.nodes.set(node.id, node);
      const inner = callee(flow, node);
      if (!inner || !open.has(node.id) || shown.has(inner)) return [{ id: node.id, ...NODE }];
      shown.add(inner);
      const padding = { "elk.padding": `[top=${HEADER + 16},left=20,bottom=20,right=20]` };
      return [{ id: node.id, layoutOptions: { ...OPTIONS, ...padding }, children: children(inner, exitOf(node.id)) }];
    });
    const leaves = exit !== "" && found.edges.some((edge) => edge.to === EXIT);
    for (const edge of found.edges) {
      const target = edge.to === EXIT ? exit : edge.to;
      if (!flow.nodes.has(edge.from) || target === "" || (edge.to !== EXIT && flow.nodes.get(edge.to)?.graph !== graph))
        continue;
      result.edges.push({ id: edge.key, sources: [edge.from], targets: [target] });
      result.keys.set(edge.key, { edge: edge.key, source: edge.from, target });
    }
    return leaves ? [...inside, { id: exit, ...EXIT_SIZE }] : inside;
  };
  result.root.children = children("", "");
  result.root.edges = result.edges;
  return result;
}

/** Lays out a flow whose subgraph nodes in `open` show their nodes in place. */
export async function layout(flow: Flow, open: ReadonlySet<string>): Promise<Picture> {
  const { root, nodes, keys } = built(flow, open);
  const laid = await (await elk()).layout(root);
  const boxes: Box[] = [];
  const moved = new Set<string>();
  const place = (parent: ElkNode, inside: string | null) => {
    for (const each of parent.children ?? []) {
      const node = nodes.get(each.id) ?? null;
      const chosen = node ? positionOf(node.data) : null;
      if (chosen) moved.add(each.id);
      const { x, y } = chosen ?? { x: each.x ?? 0, y: each.y ?? 0 };
      const { width = NODE.width, height = NODE.height } = each;
      boxes.push({ id: each.id, node, parent: inside, x, y, width, height, open: (each.children?.length ?? 0) > 0 });
      place(each, each.id);
      if (chosen) for (const inner of each.children ?? []) moved.add(inner.id);
    }
  };
  place(laid, null);
  const lines: Line[] = [];
  for (const [id, { edge, source, target }] of keys) {
    const found = laid.edges?.find((each) => each.id === id);
    const section = found?.sections?.[0];
    const points = moved.has(source) || moved.has(target) || !section ? [] : corners(section);
    lines.push({ id, edge, source, target, points });
  }
  return { boxes, lines };
}

const corners = (section: ElkEdgeSection): Position[] => [
  section.startPoint,
  ...(section.bendPoints ?? []),
  section.endPoint,
];
