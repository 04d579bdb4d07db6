// A flow document as the editor shows it: graphs with nodes and edges, each with its path and its place in the text.

import { isMap, isSeq, type Node } from "yaml";
import { type Json, parsed, type Path } from "./yamlEdit";

export const KINDS = ["question", "decision", "action", "subgraph", "terminal"] as const;
export type Kind = (typeof KINDS)[number];

/** The target of an edge that leaves its subgraph. */
export const EXIT = "__exit__";

export type Fields = { [name: string]: Json };

export interface Place {
  /** Where it is in the document, such as `["nodes", 3]`. */
  path: Path;
  /** Its first and last position in the text; the end is exclusive. */
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

const fields = (value: unknown): Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Reads a document. Null if it has a syntax error or is not a map: the last good picture stays. */
export function readFlow(source: string): Flow | null {
  const document = parsed(source);
  if (document.errors.length > 0 || !isMap(document.contents)) return null;
  const data = fields(document.toJS());
  const range = (path: Path): readonly [number, number] => {
    const found = (document.getIn(path, true) as Node | undefined)?.range;
    return found ? [found[0], found[1]] : [0, 0];
  };
  const flow: Flow = { data, graphs: new Map(), nodes: new Map(), edges: new Map() };
  const add = (name: string, path: Path, graph: Fields) => {
    const found: FlowGraph = { name, path, entry: "", nodes: [], edges: [] };
    const dashed = (part: string) => isSeq(document.getIn([...path, part], true));
    for (const [index, item] of (dashed("nodes") ? list(graph.nodes) : []).entries()) {
      const node = fields(item);
      if (typeof node.id !== "string") continue;
      const at = [...path, "nodes", index];
      found.nodes.push({ id: node.id, type: text(node.type), graph: name, data: node, path: at, range: range(at) });
    }
    for (const [index, item] of (dashed("edges") ? list(graph.edges) : []).entries()) {
      const edge = fields(item);
      if (typeof edge.from !== "string" || typeof edge.to !== "string") continue;
      const at = [...path, "edges", index];
      const between = `${edge.from}->${edge.to}`;
      const twins = found.edges.filter((each) => each.from === edge.from && each.to === edge.to).length;
      const key = `${name}:${text(edge.id) || between}${twins > 0 ? `#${twins + 1}` : ""}`;
      found.edges.push({ key, from: edge.from, to: edge.to, graph: name, data: edge, path: at, range: range(at) });
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

/** The subgraph that a node enters; empty for other nodes and for `$active_path`. */
export const callee = (flow: Flow, node: FlowNode): string => {
  const ref = node.type === "subgraph" ? text(node.data.ref) : "";
  return flow.graphs.has(ref) ? ref : "";
};

/** The node or edge at a position of the text. */
export function at(flow: Flow, position: number): FlowNode | FlowEdge | undefined {
  const inside = (each: Place) => each.range[0] <= position && position <= each.range[1];
  return [...flow.nodes.values()].find(inside) ?? [...flow.edges.values()].find(inside);
}

/** The node or edge that a JSON pointer of a diagnostic leads to, such as `/nodes/3/key`. */
export function ofPointer(flow: Flow, pointer: string): FlowNode | FlowEdge | undefined {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const within = (each: Place) =>
    each.path.length <= parts.length && each.path.every((part, index) => String(part) === parts[index]);
  return [...flow.nodes.values()].find(within) ?? [...flow.edges.values()].find(within);
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
