// The graph that ELK lays out: the nodes of a flow with their sizes, its edges with room for their labels, and
// references instead of the many edges that lead to one node from far away.

import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import { EXIT, type Flow, type FlowEdge, type FlowGraph, type FlowNode } from "./flow";
import { type JumpName, jumpsIn } from "./jumps";
import { type Measure, linesOf } from "./measure";
import { type LabelSize, labelSize } from "./labels";
import { farEdges } from "./references";
import { conditionOf, summary, titleOf } from "./titles";

export const NODE = { width: 216, height: 78 };
const WITHOUT_SUMMARY = 46; // px, the height of a node that has only a title
const ONE_LINE = 62; // px, the height of a node whose summary takes one line
const CONDITION = 18; // px, the line of a condition
const EXIT_SIZE = { width: 72, height: 30 };
const REFERENCE = { height: 28, letter: 7, around: 44 };
const HEADER = 44; // px of an open subgraph above its nodes

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.spacing.nodeNodeBetweenLayers": "34",
  "elk.spacing.nodeNode": "28",
  "elk.spacing.edgeNode": "18",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  "elk.spacing.edgeLabel": "4",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.json.edgeCoords": "ROOT",
};

/** Lines are straight, and the picture is narrow; for many nodes that takes too long to compute. */
const placement = (nodes: number) => ({
  "elk.layered.nodePlacement.strategy": nodes > MANY ? "BRANDES_KOEPF" : "NETWORK_SIMPLEX",
});
const MANY = 80; // nodes

/** The entry of a graph is above its other nodes, even if edges lead back to it. */
const FIRST = { "elk.layered.layering.layerConstraint": "FIRST" };

const ON_LINE = { "elk.edgeLabels.inline": "true", "elk.edgeLabels.placement": "CENTER" };

const EXIT_SUFFIX = "\u0000exit";
const REFERS = "\u0000to ";
/** The id of the exit of the subgraph that a node opens. */
const exitOf = (node: string): string => node + EXIT_SUFFIX;
export const isExit = (box: string): boolean => box.endsWith(EXIT_SUFFIX);
/** The node, or the exit, to which a reference leads; null for other boxes. */
export const referredBy = (box: string): string | null => box.split(REFERS)[1] ?? null;
/** The key of the edge that leads to a reference. */
export const edgeTo = (reference: string): string => reference.split(REFERS)[0] ?? "";

/** The label of an edge: what its author calls it, otherwise its guard. */
export function labelOf(edge: FlowEdge): string {
  const { label, guard } = edge.data;
  return typeof label === "string" && label ? label : typeof guard === "string" ? guard : "";
}

/** A line between two nodes: an edge, or a transition without one. */
interface Drawn {
  key: string;
  from: string;
  to: string;
  label: string;
  look: Look;
}

export type Look = "plain" | "else" | "jump";

export interface ElkGraph {
  root: ElkNode;
  nodes: Map<string, FlowNode>;
  /** By the id of a line in the picture: its key, its ends and its label. */
  ends: Map<string, Drawn & { source: string; target: string; size: LabelSize | null }>;
}

/** The subgraphs that are shown in place, by the node that enters them. */
export type Opened = ReadonlyMap<string, string>;

function sizeOf(node: FlowNode, measure: Measure): { width: number; height: number } {
  const height = [WITHOUT_SUMMARY, ONE_LINE][linesOf(summary(node), measure)] ?? NODE.height;
  return { ...NODE, height: height + (conditionOf(node) ? CONDITION : 0) };
}

/** The lines between the nodes of a graph. */
const drawnIn = (graph: FlowGraph, named: Readonly<Record<JumpName, string>>): Drawn[] => [
  ...graph.edges.map((edge): Drawn => {
    const { key, from, to, data } = edge;
    return { key, from, to, label: labelOf(edge), look: data.guard === "else" ? "else" : "plain" };
  }),
  ...jumpsIn(graph).map(({ key, from, to, name }): Drawn => ({ key, from, to, label: named[name], look: "jump" })),
];

/**
 * The graph of a flow whose subgraph nodes in `open` show the nodes of a subgraph in place. `named` are the labels of
 * transitions without an edge.
 */
export function elkGraph(
  flow: Flow,
  open: Opened,
  named: Readonly<Record<JumpName, string>>,
  measure: Measure,
): ElkGraph {
  const options = { ...OPTIONS, ...placement(flow.nodes.size) };
  const edges: ElkExtendedEdge[] = [];
  const result: ElkGraph = { root: { id: "" }, nodes: new Map(), ends: new Map() };
  const shown = new Set<string>([""]);
  const referenceSize = (to: string) => {
    const node = flow.nodes.get(to);
    const width = (node ? titleOf(node).length : 6) * REFERENCE.letter + REFERENCE.around;
    return { width: Math.min(width, NODE.width), height: REFERENCE.height };
  };
  const nodeOf = (node: FlowNode, entry: string): ElkNode => {
    result.nodes.set(node.id, node);
    const inner = open.get(node.id) ?? "";
    const first = node.id === entry ? FIRST : {};
    if (!flow.graphs.has(inner) || shown.has(inner))
      return { id: node.id, ...sizeOf(node, measure), layoutOptions: first };
    shown.add(inner);
    const padding = { "elk.padding": `[top=${HEADER + 16},left=20,bottom=20,right=20]` };
    return {
      id: node.id,
      layoutOptions: { ...options, ...padding, ...first },
      children: children(flow.graphs.get(inner)!, exitOf(node.id)),
    };
  };
  const children = (graph: FlowGraph, exit: string): ElkNode[] => {
    const isIn = (id: string) => flow.nodes.get(id)?.graph === graph.name;
    const drawn = drawnIn(graph, named).filter(
      ({ from, to }) => flow.nodes.has(from) && (to === EXIT ? exit !== "" : to !== "" && isIn(to)),
    );
    const far = farEdges(graph.entry, drawn);
    const inside = graph.nodes
      .filter((node) => flow.nodes.get(node.id) === node) // not a second node with the same id
      .map((node) => nodeOf(node, graph.entry));
    for (const line of drawn) {
      const isFar = far.has(line.key);
      const target = isFar ? line.key + REFERS + line.to : line.to === EXIT ? exit : line.to;
      if (isFar) inside.push({ id: target, ...referenceSize(line.to) });
      const size = labelSize(line.label);
      const labels = size ? [{ text: " ", ...size, layoutOptions: ON_LINE }] : [];
      edges.push({ id: line.key, sources: [line.from], targets: [target], labels });
      result.ends.set(line.key, { ...line, source: line.from, target, size });
    }
    if (drawn.some((edge) => edge.to === EXIT && !far.has(edge.key))) inside.push({ id: exit, ...EXIT_SIZE });
    return inside;
  };
  const root = flow.graphs.get("");
  result.root = { id: "", layoutOptions: options, children: root ? children(root, "") : [], edges };
  return result;
}
