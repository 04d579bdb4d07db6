// The commands of the picture and the forms on a flow document. Each is a function from text to text.

import { EXIT, type Fields, type Flow, type FlowNode, type Kind, type Position } from "../../../flow-canvas/flow";
import { readFlow } from "./flow";
import { append, CannotEdit, deleteIn, type Json, type Path, renameKey, setIn } from "./yamlEdit";

const PREFIX: Record<Kind, string> = {
  question: "q",
  decision: "choose",
  action: "do",
  subgraph: "sub",
  terminal: "end",
};

function read(text: string): Flow {
  const flow = readFlow(text);
  if (!flow) throw new CannotEdit("The text has a syntax error. Correct it first.");
  return flow;
}

function nodeOf(flow: Flow, id: string): FlowNode {
  const node = flow.nodes.get(id);
  if (!node) throw new CannotEdit(`There is no node ${id}.`);
  return node;
}

const pathOf = (flow: Flow, graph: string): Path => {
  const found = flow.graphs.get(graph);
  if (!found) throw new CannotEdit(`There is no subgraph ${graph}.`);
  return found.path;
};

/** An id that no node has: `q.1`, `q.2` and so on, or the wish itself. */
export function freeId(flow: Flow, wish: string): string {
  if (!flow.nodes.has(wish)) return wish;
  const base = wish.replace(/\.?\d+$/, "");
  for (let number = 2; ; number += 1) if (!flow.nodes.has(`${base}.${number}`)) return `${base}.${number}`;
}

/** A new node of a kind with the fields that it needs. */
export function blank(flow: Flow, kind: Kind): Fields {
  const id = freeId(flow, `${PREFIX[kind]}.1`);
  const key = id.replaceAll(/\W/g, "_");
  const ref = [...flow.graphs.keys()].find((name) => name !== "") ?? "subgraph.new";
  const own: Record<Kind, Fields> = {
    question: { key, prompt: "What would you like to know?" },
    decision: {},
    action: { run: "choose_an_action" },
    subgraph: { ref },
    terminal: { say: "Thank you." },
  };
  return { id, type: kind, ...own[kind] };
}

/** Adds a node to a graph. A subgraph node whose subgraph does not exist gets one with a question. */
export function addNode(text: string, graph: string, node: Fields): string {
  const flow = read(text);
  if (typeof node.id !== "string" || flow.nodes.has(node.id)) throw new CannotEdit("The id of the node is taken.");
  const added = append(text, [...pathOf(flow, graph), "nodes"], node);
  const ref = node.type === "subgraph" ? node.ref : undefined;
  if (typeof ref !== "string" || ref.startsWith("$") || flow.graphs.has(ref)) return added;
  const first = freeId(flow, `${ref.replace(/^subgraph\./, "")}.ask`);
  const inner: Fields = {
    entry: first,
    nodes: [{ id: first, type: "question", key: first.replaceAll(/\W/g, "_"), prompt: "What would you like to know?" }],
    edges: [{ from: first, to: EXIT }],
  };
  return setIn(added, ["subgraphs", ref], inner);
}

/** Removes nodes, the edges at them, and what refers to them. A subgraph that no node enters any more stays. */
export function removeNodes(text: string, ids: readonly string[]): string {
  let now = text;
  for (const id of ids) {
    const flow = read(now);
    const node = flow.nodes.get(id);
    if (!node) continue;
    const edges = [...flow.edges.values()].filter(
      (edge) => edge.graph === node.graph && (edge.from === id || edge.to === id),
    );
    for (const path of [...edges.map((edge) => edge.path), node.path].sort(backwards)) now = deleteIn(now, path);
    for (const reference of references(read(now), id)) now = deleteIn(now, reference);
  }
  return now;
}

/** Later places first, so that the paths of earlier ones stay valid. */
const backwards = (a: Path, b: Path): number => {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (part === other) continue;
    return typeof part === "number" && typeof other === "number" ? other - part : String(other) < String(part) ? -1 : 1;
  }
  return 0;
};

const OF_DOCUMENT = ["on_stuck", "on_escalate", "on_abandon"];
const OF_NODE: Path[] = [["on_error"], ["on_invalid"], ["confirm", "by"]];

const inside = (data: Json | undefined, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((value, part) => (value as Fields | undefined)?.[part], data);

/** The paths of all values, besides edges and lists, that name a node. */
function references(flow: Flow, id: string): Path[] {
  const ofDocument = OF_DOCUMENT.filter((name) => flow.data[name] === id).map((name) => [name]);
  const entries = [...flow.graphs.values()]
    .map((graph) => [...graph.path, "entry"])
    .filter((path) => inside(flow.data, path) === id);
  const ofNodes = [...flow.nodes.values()].flatMap((node) =>
    OF_NODE.filter((path) => inside(node.data, path) === id).map((path) => [...node.path, ...path]),
  );
  return [...ofDocument, ...entries, ...ofNodes];
}

/**
 * Gives a node another id, in its edges and everywhere else that names it. If `active` has the node, conversations
 * may wait there: `was` keeps its earlier id, so that they carry over.
 */
export function renameNode(text: string, id: string, name: string, active: Flow | null = null): string {
  const flow = read(text);
  const node = nodeOf(flow, id);
  if (!name.trim() || name === id) return text;
  if (flow.nodes.has(name)) throw new CannotEdit(`There is a node ${name} already.`);
  const over = [...flow.nodes.values()].flatMap((each) => {
    const names = inside(each.data, ["confirm", "over"]);
    return Array.isArray(names)
      ? names.flatMap((it, at) => (it === id ? [[...each.path, "confirm", "over", at]] : []))
      : [];
  });
  const ends = [...flow.edges.values()]
    .filter((edge) => edge.graph === node.graph)
    .flatMap((edge) => [
      ...(edge.from === id ? [[...edge.path, "from"]] : []),
      ...(edge.to === id ? [[...edge.path, "to"]] : []),
    ]);
  const renamed = [...ends, ...over, ...references(flow, id), [...node.path, "id"]].reduce(
    (now, path) => setIn(now, path, name),
    text,
  );
  const { was = [] } = node.data;
  const earlier = [was].flat().filter((each) => each !== name);
  if (active?.nodes.get(id)?.graph === node.graph) earlier.push(id);
  const [first] = earlier;
  return setField(renamed, node.path, "was", earlier.length > 1 ? earlier : first);
}

/** Adds an edge. Where the node has edges without a guard already, the new one gets the guard `else`. */
export function connect(text: string, graph: string, from: string, to: string): string {
  const flow = read(text);
  const edges = flow.graphs.get(graph)?.edges.filter((edge) => edge.from === from) ?? [];
  if (edges.some((edge) => edge.to === to && edge.data.guard === undefined)) return text;
  const closes = edges.length > 0 && !edges.some((edge) => edge.data.guard === "else" || edge.data.guard === undefined);
  const edge: Fields = closes ? { from, to, guard: "else" } : { from, to };
  return append(text, [...pathOf(flow, graph), "edges"], edge);
}

/** Leads an edge to another node. */
export function reconnect(text: string, key: string, from: string, to: string): string {
  const edge = read(text).edges.get(key);
  if (!edge) throw new CannotEdit("There is no such edge.");
  return setIn(setIn(text, [...edge.path, "from"], from), [...edge.path, "to"], to);
}

export function removeEdges(text: string, keys: readonly string[]): string {
  const flow = read(text);
  const paths = keys.map((key) => flow.edges.get(key)?.path).filter((path) => path !== undefined);
  return paths.sort(backwards).reduce((now, path) => deleteIn(now, path), text);
}

/** Sets a field of a node, an edge or the document; undefined removes it. */
export function setField(text: string, path: Path, name: string, value: Json | undefined): string {
  return value === undefined ? deleteIn(text, [...path, name]) : setIn(text, [...path, name], value);
}

const rounded = ({ x, y }: Position): Fields => ({ x: Math.round(x), y: Math.round(y) });

/** Stores where a person put nodes. Other fields of `ui` stay. */
export function moveNodes(text: string, positions: ReadonlyMap<string, Position>): string {
  let now = text;
  for (const [id, position] of positions) {
    const node = nodeOf(read(now), id);
    const { x, y } = rounded(position);
    const old = node.data.ui;
    if (old !== null && typeof old === "object" && !Array.isArray(old)) {
      const path = [...node.path, "ui", ...("position" in old ? ["position"] : [])];
      now = setIn(setIn(now, [...path, "x"], x ?? 0), [...path, "y"], y ?? 0);
    } else now = setIn(now, [...node.path, "ui"], { x: x ?? 0, y: y ?? 0 });
  }
  return now;
}

/** Removes all positions, so that the layout places every node again. */
export function tidy(text: string): string {
  let now = text;
  for (const { id } of read(text).nodes.values()) {
    const node = nodeOf(read(now), id);
    const ui = node.data.ui;
    if (ui === null || typeof ui !== "object" || Array.isArray(ui)) continue;
    const rest = Object.keys(ui).filter((name) => !["x", "y", "position"].includes(name));
    if (rest.length === 0) now = deleteIn(now, [...node.path, "ui"]);
    else for (const name of ["x", "y", "position"]) now = deleteIn(now, [...node.path, "ui", name]);
  }
  return now;
}

/** Nodes with the edges between them, as data for the clipboard. */
export interface Copied {
  nodes: Fields[];
  edges: Fields[];
}

export function copy(flow: Flow, ids: readonly string[]): Copied {
  const chosen = new Set(ids);
  const nodes = [...flow.nodes.values()].filter((node) => chosen.has(node.id));
  const edges = [...flow.edges.values()].filter((edge) => chosen.has(edge.from) && chosen.has(edge.to));
  return { nodes: nodes.map((node) => node.data), edges: edges.map((edge) => edge.data) };
}

/** Adds copies of nodes and of the edges between them, with new ids and keys. Returns the text and the new ids. */
export function paste(text: string, graph: string, copied: Copied, by: Position): { text: string; ids: string[] } {
  let now = text;
  const names = new Map<string, string>();
  for (const node of copied.nodes) {
    const flow = read(now);
    const id = freeId(flow, String(node.id));
    names.set(String(node.id), id);
    const keys = new Set([...flow.nodes.values()].map((each) => each.data.key));
    let key = node.key;
    for (let number = 2; typeof node.key === "string" && keys.has(key); number += 1) key = `${node.key}_${number}`;
    const made: Fields = { ...node, id, ...(key === undefined ? {} : { key }) };
    const ui = node.ui as Fields | undefined;
    if (typeof ui?.x === "number" && typeof ui.y === "number") made.ui = { ...ui, x: ui.x + by.x, y: ui.y + by.y };
    now = append(now, [...pathOf(flow, graph), "nodes"], made);
  }
  for (const edge of copied.edges) {
    const { id: _, ...rest } = edge;
    const ends = { from: names.get(String(edge.from)) ?? "", to: names.get(String(edge.to)) ?? "" };
    now = append(now, [...pathOf(read(now), graph), "edges"], { ...rest, ...ends });
  }
  return { text: now, ids: [...names.values()] };
}

/** Renames a subgraph, and what refers to it. */
export function renameSubgraph(text: string, name: string, to: string): string {
  const flow = read(text);
  if (!to.trim() || name === to) return text;
  if (!flow.graphs.has(name) || flow.graphs.has(to)) throw new CannotEdit(`The name ${to} cannot be used.`);
  const calls = [...flow.nodes.values()].filter((node) => node.data.ref === name).map((node) => [...node.path, "ref"]);
  const paths = Object.entries((flow.data.paths ?? {}) as Record<string, Fields>)
    .filter(([, path]) => path?.ref === name)
    .map(([path]) => ["paths", path, "ref"]);
  const now = [...calls, ...paths].reduce<string>((each, path) => setIn(each, path, to), text);
  return renameKey(now, ["subgraphs", name], to);
}
