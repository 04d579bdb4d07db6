// A flow document as graphs with nodes and edges, each with its path in the document.

import type { Json } from "../api";

export const KINDS = ["question", "decision", "action", "subgraph", "terminal"] as const;
export type Kind = (typeof KINDS)[number];

/** The target of an edge that leaves its subgraph. */
export const EXIT = "__exit__";

export type Fields = { [name: string]: Json };
export type Path = readonly (string | number)[];

interface Place {
  /** Where it is in the document, such as `["nodes", 3]`. */
  path: Path;
  /** Its first and last position in the text; the end is exclusive. 0, 0 if the flow was not read from a text. */
  range: readonly [number, number];
}

export interface FlowNode extends Place {
  id: string;
  /** The kind as written; a kind that does not exist is shown as it is. */
  type: string;
  /** The subgraph that it is in; empty for the root. */
  graph: string;
  data: Fields;
}

export interface FlowEdge extends Place {
  /** Unique in the document; stable while its ends and its place among parallel edges stay. */
  key: string;
  from: string;
  to: string;
  graph: string;
  data: Fields;
}

export interface FlowGraph {
  /** Empty for the root. */
  name: string;
  path: Path;
  entry: string;
  nodes: FlowNode[];
  edges: FlowEdge[];
}

export interface Flow {
  data: Fields;
  graphs: Map<string, FlowGraph>;
  /** All nodes by id; of several with one id the first. */
  nodes: Map<string, FlowNode>;
  edges: Map<string, FlowEdge>;
}

export const fields = (value: unknown): Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The text that a flow was read from. */
export interface Source {
  range(path: Path): readonly [number, number];
  /** Whether this path itself is a list, not through an alias. */
  isList(path: Path): boolean;
}

const NO_TEXT: Source = { range: () => [0, 0], isList: () => true };

/** The flow of a document. */
export function flowOf(data: Fields, source: Source = NO_TEXT): Flow {
  const flow: Flow = { data, graphs: new Map(), nodes: new Map(), edges: new Map() };
  const listIn = (graph: Fields, path: Path, part: string): Json[] => {
    const found = graph[part];
    return Array.isArray(found) && source.isList([...path, part]) ? found : [];
  };
  const add = (name: string, path: Path, graph: Fields) => {
    const found: FlowGraph = { name, path, entry: "", nodes: [], edges: [] };
    for (const [index, item] of listIn(graph, path, "nodes").entries()) {
      const node = fields(item);
      if (typeof node.id !== "string") continue;
      const at = [...path, "nodes", index];
      const place = { path: at, range: source.range(at) };
      found.nodes.push({ id: node.id, type: text(node.type), graph: name, data: node, ...place });
    }
    const twins = new Map<string, number>();
    for (const [index, item] of listIn(graph, path, "edges").entries()) {
      const edge = fields(item);
      if (typeof edge.from !== "string" || typeof edge.to !== "string") continue;
      const at = [...path, "edges", index];
      const between = `${edge.from}->${edge.to}`;
      const twin = twins.get(between) ?? 0;
      twins.set(between, twin + 1);
      const key = `${name}:${text(edge.id) || between}${twin > 0 ? `#${twin + 1}` : ""}`;
      const place = { path: at, range: source.range(at) };
      found.edges.push({ key, from: edge.from, to: edge.to, graph: name, data: edge, ...place });
    }
    found.entry = text(graph.entry) || (found.nodes[0]?.id ?? "");
    flow.graphs.set(name, found);
    for (const node of found.nodes) if (!flow.nodes.has(node.id)) flow.nodes.set(node.id, node);
    for (const edge of found.edges) flow.edges.set(edge.key, edge);
  };
  add("", [], data);
  for (const [name, graph] of Object.entries(fields(data.subgraphs))) add(name, ["subgraphs", name], fields(graph));
  return flow;
}

/** The subgraphs that a node can enter: one, or that of each path for `$active_path`. */
export function callees(flow: Flow, node: FlowNode): string[] {
  const ref = node.type === "subgraph" ? text(node.data.ref) : "";
  const refs =
    ref === "$active_path" ? Object.values(fields(flow.data.paths)).map((each) => text(fields(each).ref)) : [ref];
  return [...new Set(refs)].filter((each) => each !== "" && flow.graphs.has(each));
}

export interface Position {
  x: number;
  y: number;
}

/** The position that a person gave a node: `ui: {x, y}`, or `ui: {position: {x, y}}`. */
export function positionOf(data: Fields): Position | null {
  const ui = fields(data.ui);
  for (const each of [ui, fields(ui.position)])
    if (typeof each.x === "number" && typeof each.y === "number") return { x: each.x, y: each.y };
  return null;
}
