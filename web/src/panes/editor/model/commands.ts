// The commands of the picture and the forms on a flow document. Each is a function from text to text.

import {
  EXIT,
  fields,
  type Fields,
  type Flow,
  type FlowNode,
  type Kind,
  type Position,
} from "../../../flow-canvas/flow";
import { readFlow } from "./flow";
import { ENGLISH, type NewTexts } from "./newTexts";
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

/** The key of an answer that is made from the id of a node: `q_1` of `q.1`, or `name` of `q.name`. */
export const keyFor = (id: string, isShort = false): string =>
  (isShort ? id.replace(/^q\.(?=[A-Za-z_])/, "") : id).replaceAll(/\W/g, "_");

/** A new node of a kind with the fields that it needs. */
export function blank(flow: Flow, kind: Kind, texts: NewTexts = ENGLISH): Fields {
  const id = freeId(flow, `${PREFIX[kind]}.1`);
  const key = keyFor(id);
  const ref = [...flow.graphs.keys()].find((name) => name !== "") ?? "subgraph.new";
  const own: Record<Kind, Fields> = {
    question: { key, prompt: texts.ask },
    decision: {},
    action: { run: "choose_an_action" },
    subgraph: { ref },
    terminal: { say: texts.end },
  };
  return { id, type: kind, ...own[kind] };
}

/** Adds a node to a graph. A subgraph node whose subgraph does not exist gets one with a question. */
export function addNode(text: string, graph: string, node: Fields, texts: NewTexts = ENGLISH): string {
  const flow = read(text);
  if (typeof node.id !== "string" || flow.nodes.has(node.id)) throw new CannotEdit("The id of the node is taken.");
  const added = append(text, [...pathOf(flow, graph), "nodes"], node);
  const ref = node.type === "subgraph" ? node.ref : undefined;
  if (typeof ref !== "string" || ref.startsWith("$") || flow.graphs.has(ref)) return added;
  const first = freeId(flow, `${ref.replace(/^subgraph\./, "")}.ask`);
  const inner: Fields = {
    entry: first,
    nodes: [{ id: first, type: "question", key: keyFor(first), prompt: texts.ask }],
    edges: [{ from: first, to: EXIT }],
  };
  return setIn(added, ["subgraphs", ref], inner);
}

/** Removes nodes, the edges at them, and what refers to them. A subgraph that no node enters any more stays. */
export function removeNodes(text: string, ids: readonly string[]): string {
  let now = text;
  for (const id of ids) {
    now = bypass(now, id);
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

/** Leads the edges into a node to the one node that always follows it, so that a chain without it stays whole. */
function bypass(text: string, id: string): string {
  const flow = read(text);
  const graph = flow.graphs.get(flow.nodes.get(id)?.graph ?? "");
  const [out, ...others] = graph?.edges.filter((edge) => edge.from === id) ?? [];
  if (!graph || !out || others.length > 0 || out.data.guard !== undefined || out.to === id) return text;
  const has = (from: string) => graph.edges.some((edge) => edge.from === from && edge.to === out.to);
  const into = graph.edges.filter((edge) => edge.to === id && edge.from !== out.to && !has(edge.from));
  const led = into.reduce((now, edge) => setIn(now, [...edge.path, "to"], out.to), text);
  const first = graph.nodes.find((node) => node.id !== id)?.id;
  const named = (graph.name === "" ? flow.data : fields(inside(flow.data, graph.path))).entry !== undefined;
  if (graph.entry !== id || out.to === EXIT || (first === out.to && !named)) return led;
  return setIn(led, [...graph.path, "entry"], out.to);
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

/**
 * Adds an edge. Where every edge of the node has a guard, the new one gets the guard `else`. The first two edges of a
 * question for a yes or a no are one for each.
 */
export function connect(text: string, graph: string, from: string, to: string): string {
  const flow = read(text);
  const edges = flow.graphs.get(graph)?.edges.filter((edge) => edge.from === from) ?? [];
  if (edges.some((edge) => edge.to === to && edge.data.guard === undefined)) return text;
  const [first, second] = edges;
  const key = yesOrNo(flow.nodes.get(from));
  const splits = key !== "" && first !== undefined && second === undefined && first.data.guard === undefined;
  const closes = edges.length > 0 && !edges.some((edge) => edge.data.guard === "else" || edge.data.guard === undefined);
  const edge: Fields = splits || closes ? { from, to, guard: "else" } : { from, to };
  const added = append(text, [...pathOf(flow, graph), "edges"], edge);
  return splits ? setIn(added, [...first.path, "guard"], `answers.${key} == true`) : added;
}

/** The key of the answer of a question for a yes or a no; else empty. */
function yesOrNo(node: FlowNode | undefined): string {
  const isOne = node?.data.read === "confirm" || fields(node?.data.schema).type === "boolean";
  return isOne && typeof node?.data.key === "string" ? node.data.key : "";
}

/** The place at which a node is added: after a node, or in an edge. */
export type Spot = { after: string } | { in: string };

/**
 * Adds a node and connects it. In an edge, or after a node with one edge that is always open, it comes between the
 * two ends. An end that no edge could ever lead to, because another one is always open, is not connected.
 */
export function addNodeAt(text: string, spot: Spot, node: Fields, texts: NewTexts = ENGLISH): string {
  const flow = read(text);
  const edge = "in" in spot ? flow.edges.get(spot.in) : undefined;
  const before = nodeOf(flow, "in" in spot ? (edge?.from ?? "") : spot.after);
  const added = addNode(text, before.graph, node, texts);
  if (before.type === "terminal") return added;
  const id = String(node.id);
  const out = [...flow.edges.values()].filter((each) => each.graph === before.graph && each.from === before.id);
  const open = before.type === "decision" ? undefined : out.find((each) => each.data.guard === undefined);
  const between = edge ?? (out.length === 1 ? open : undefined);
  if (node.type === "terminal")
    return open && yesOrNo(before) === "" ? added : connect(added, before.graph, before.id, id);
  if (!between) return connect(added, before.graph, before.id, id);
  return connect(setIn(added, [...between.path, "to"], id), before.graph, id, between.to);
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

/** A copy of a node with an id and a key that no other node has. */
function copied(flow: Flow, node: Fields, by: Position): Fields {
  const keys = new Set([...flow.nodes.values()].map((each) => each.data.key));
  let key = node.key;
  for (let number = 2; typeof node.key === "string" && keys.has(key); number += 1) key = `${node.key}_${number}`;
  const { was: _, ...rest } = node;
  const made: Fields = { ...rest, id: freeId(flow, String(node.id)), ...(key === undefined ? {} : { key }) };
  const ui = node.ui as Fields | undefined;
  if (typeof ui?.x === "number" && typeof ui.y === "number") made.ui = { ...ui, x: ui.x + by.x, y: ui.y + by.y };
  return made;
}

/** Adds copies of nodes and of the edges between them, with new ids and keys. Returns the text and the new ids. */
export function paste(text: string, graph: string, held: Copied, by: Position): { text: string; ids: string[] } {
  let now = text;
  const names = new Map<string, string>();
  for (const node of held.nodes) {
    const flow = read(now);
    const made = copied(flow, node, by);
    names.set(String(node.id), String(made.id));
    now = append(now, [...pathOf(flow, graph), "nodes"], made);
  }
  for (const edge of held.edges) {
    const { id: _, ...rest } = edge;
    const ends = { from: names.get(String(edge.from)) ?? "", to: names.get(String(edge.to)) ?? "" };
    now = append(now, [...pathOf(read(now), graph), "edges"], { ...rest, ...ends });
  }
  return { text: now, ids: [...names.values()] };
}

/** Adds a copy of a node after it. Returns the text and the new id. */
export function duplicate(text: string, id: string): { text: string; ids: string[] } {
  const flow = read(text);
  const made = copied(flow, nodeOf(flow, id).data, { x: 32, y: 32 });
  return { text: addNodeAt(text, { after: id }, made), ids: [String(made.id)] };
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
