// Edits of a document that extends others: what a lower layer set is overridden, removed, or taken as it is again.

import { type Fields, type Flow, type FlowEdge, type FlowNode, type Path, fields } from "../../../flow-canvas/flow";
import type { Json } from "../../../api";
import { removeEdges, removeNodes, setField } from "./commands";
import { readFlow } from "./flow";
import { append, CannotEdit, deleteIn, same, setIn } from "./yamlEdit";

/** The file of the draft in the places of a merge. */
export const SELF = "flow.yaml";

type Part = FlowNode | FlowEdge;

export const isLayered = (flow: Flow | null): boolean => flow?.data.extends !== undefined;

/** A path as a JSON pointer. */
export const pointerOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The fields by which a layer names a part of a lower one. */
export function identity(part: Part): Fields {
  const { data } = part;
  if (typeof data.id === "string") return { id: data.id };
  const ends: Fields = { from: data.from ?? "", to: data.to ?? "" };
  return data.guard === undefined ? ends : { ...ends, guard: data.guard };
}

/** The document as a part, for its own fields. */
export const documentPart = ({ data }: Flow): FlowNode => ({
  id: "",
  type: "",
  graph: "",
  data,
  path: [],
  range: [0, 0],
});

const isDocument = (part: Part): boolean => part.path.length === 0;

/** The name of a part in the report of a merge. */
export function partName(part: Part): string {
  if (isDocument(part)) return "document";
  if ("type" in part) return `node ${part.id}`;
  if (typeof part.data.id === "string") return `edge ${part.data.id}`;
  return `edge ${part.from} -> ${part.to}${typeof part.data.guard === "string" ? ` (${part.data.guard})` : ""}`;
}

/** The same node or edge in the draft alone; undefined if it says nothing about it. */
export function ownPart(own: Flow, part: Part): Part | undefined {
  if (isDocument(part)) return documentPart(own);
  const graph = own.graphs.get(part.graph);
  if ("type" in part) return graph?.nodes.find((each) => each.id === part.id);
  if (typeof part.data.id === "string") return edgeById(own, part);
  return graph?.edges.find((each) => same(identity(each), identity(part)) && each.data.remove !== true);
}

/** The record of an edge with an id, which may say nothing about its ends. */
function edgeById(own: Flow, part: FlowEdge): FlowEdge | undefined {
  const graph = part.graph ? fields(fields(own.data.subgraphs)[part.graph]) : own.data;
  const records = Array.isArray(graph.edges) ? graph.edges.map(fields) : [];
  const index = records.findIndex((each) => each.id === part.data.id && each.remove !== true);
  const data = records[index];
  return data && { ...part, data, path: [...listOf(part), index] };
}

function read(text: string): Flow {
  const flow = readFlow(text);
  if (!flow) throw new CannotEdit("The text has a syntax error. Correct it first.");
  return flow;
}

const listOf = (part: Part): Path => [
  ...(part.graph ? ["subgraphs", part.graph] : []),
  "type" in part ? "nodes" : "edges",
];

/** The text with a record for a part, in which the draft can say what differs. */
function withOwn(text: string, part: Part): { text: string; path: Path } {
  const own = ownPart(read(text), part);
  if (own) return { text, path: own.path };
  const added = append(text, listOf(part), identity(part));
  const made = ownPart(read(added), part);
  if (!made) throw new CannotEdit("The lower layer's part cannot be named here.");
  return { text: added, path: made.path };
}

/** Sets a field of a part, which a lower layer may have. Undefined removes it, there too. */
export function override(text: string, part: Part, name: string, value: Json | undefined, inherited: boolean): string {
  const isEdge = !("type" in part);
  if (isEdge && name === "guard" && inherited && typeof part.data.id !== "string") {
    // Without an id, an edge is identified by its guard: another guard is another edge.
    const { ui: _, ...rest } = part.data;
    const removed = append(text, listOf(part), { ...identity(part), remove: true });
    const { guard: __, ...open } = rest;
    return append(removed, listOf(part), value === undefined ? open : { ...rest, guard: value });
  }
  const { text: now, path } = withOwn(text, part);
  if (value !== undefined || !inherited) return setField(now, path, name, value);
  const without = setField(now, path, name, undefined);
  const at = ownPart(read(without), part);
  const before = Array.isArray(at?.data.remove) ? at.data.remove : [];
  return setField(without, at?.path ?? path, "remove", [...before, name]);
}

/** Takes a field as the lower layers have it. A record that says nothing else is removed. */
export function withdraw(text: string, part: Part, name: string): string {
  const own = ownPart(read(text), part);
  if (!own) return text;
  const now = setField(text, own.path, name, undefined);
  const rest = ownPart(read(now), part);
  const says = Object.keys(rest?.data ?? {}).filter((each) => !(each in identity(part)));
  return rest && says.length === 0 ? deleteIn(now, rest.path) : now;
}

interface Conflict {
  field: string;
  error: boolean;
  winner: string;
  settings: readonly { file: string; value: unknown }[];
}

/** Decides a field that several layers set, for the value of one of them. */
export function decide(text: string, part: Part, conflict: Conflict, chosen: { file: string; value: unknown }): string {
  const { field, settings } = conflict;
  const isOwn = settings.some(({ file }) => file === SELF);
  const below = settings.filter(({ file }) => file !== SELF);
  const isPlain = conflict.winner !== "" && !conflict.error;
  // Without the value of the draft that of the layer below it holds.
  if (isPlain && isOwn && chosen === below.at(-1)) return withdraw(text, part, field);
  const now = override(text, part, field, isRemoval(chosen.value) ? undefined : (chosen.value as Json), true);
  if (isPlain) return now;
  const own = ownPart(read(now), part);
  return own ? setIn(now, [...own.path, "strategies", field], "override") : now;
}

/** Whether a layer removes a field instead of setting it. */
export const isRemoval = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "remove" in value && Object.keys(value).length === 1;

/** Removes nodes: their records here, and with `remove: true` what lower layers have of them. */
export function removeLayered(text: string, shown: Flow, ids: readonly string[], below: ReadonlySet<string>): string {
  let now = removeNodes(text, ids);
  for (const id of ids) {
    const node = shown.nodes.get(id);
    if (node && below.has(id)) now = append(now, listOf(node), { id, remove: true });
  }
  return now;
}

/** Removes edges, those of lower layers with `remove: true`. */
export function removeLayeredEdges(
  text: string,
  shown: Flow,
  keys: readonly string[],
  below: ReadonlySet<string>,
): string {
  let now = text;
  for (const key of keys) {
    const edge = shown.edges.get(key);
    if (!edge) continue;
    const own = ownPart(read(now), edge);
    if (own && !("type" in own)) now = removeEdges(now, [own.key]);
    if (below.has(key)) now = append(now, listOf(edge), { ...identity(edge), remove: true });
  }
  return now;
}

/** The text in which each of these nodes has a record, for what is stored about nodes. */
export function withNodes(text: string, shown: Flow, ids: Iterable<string>): string {
  let now = text;
  for (const id of ids) {
    const node = shown.nodes.get(id);
    if (node) now = withOwn(now, node).text;
  }
  return now;
}

/** Whether a lower layer sets a field. */
export function isBelow(
  { origins, conflicts }: { origins: Origins; conflicts: readonly { part: string; field: string }[] },
  part: Part,
  name: string,
): boolean {
  const place = origins[pointerOf([...part.path, name])];
  const title = partName(part);
  if (place && place.file !== SELF) return true;
  return conflicts.some((each) => each.part === title && each.field === name);
}

type Origins = Readonly<Record<string, Setting>>;

export interface Setting {
  layer: string;
  file: string;
  line: number;
  column: number;
}

/** The ids of nodes and the keys of edges of which lower layers have some, and those that are only theirs. */
export function inherited(shown: Flow, own: Flow, origins: Origins): { below: Set<string>; whole: Set<string> } {
  const below = new Set<string>();
  const whole = new Set<string>();
  for (const part of [...shown.nodes.values(), ...shown.edges.values()]) {
    const key = "type" in part ? part.id : part.key;
    const places = [[], ...Object.keys(fields(part.data)).map((name) => [name])].map(
      (rest) => origins[pointerOf([...part.path, ...rest])],
    );
    if (places.some((place) => place !== undefined && place.file !== SELF)) below.add(key);
    if (!ownPart(own, part)) whole.add(key);
  }
  return { below, whole };
}
