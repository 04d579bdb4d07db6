// Sample answers that lead a conversation to a node, and the values of questions.

import { type Fields, type Flow, type FlowEdge, callees, EXIT, fields } from "../../../flow-canvas/flow";
import type { Json } from "../../../api";

/** The edges from the entry of a graph to a node, the fewest; null if none lead there. */
function pathIn(flow: Flow, graph: string, node: string): FlowEdge[] | null {
  const found = flow.graphs.get(graph);
  if (!found) return null;
  const before = new Map<string, FlowEdge | null>([[found.entry, null]]);
  for (const at of before.keys()) {
    for (const edge of found.edges)
      if (edge.from === at && edge.to !== EXIT && !before.has(edge.to)) before.set(edge.to, edge);
  }
  if (!before.has(node)) return null;
  const path: FlowEdge[] = [];
  for (let edge = before.get(node); edge; edge = before.get(edge.from)) path.unshift(edge);
  return path;
}

/** The edges from the beginning of the flow to a node, also inside subgraphs. */
export function pathTo(flow: Flow, id: string): FlowEdge[] | null {
  const node = flow.nodes.get(id);
  if (!node) return null;
  const here = pathIn(flow, node.graph, id);
  if (!here || node.graph === "") return here;
  const caller = [...flow.nodes.values()].find(
    (each) => each.graph !== node.graph && callees(flow, each).includes(node.graph),
  );
  const outer = caller && pathTo(flow, caller.id);
  return outer ? [...outer, ...here] : null;
}

const EQUALS = /answers\.([\w.]+)\s*==\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|true|false|-?\d+(?:\.\d+)?)/g;

const literal = (text: string): Json =>
  text.startsWith("'") || text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : (JSON.parse(text) as Json);

/** A value that the question of this node takes, as far as the document says. */
export function sampleOf(data: Fields): Json {
  const options = Array.isArray(data.options) ? data.options : [];
  const first = options[0];
  if (first !== undefined) return fields(first).value ?? first;
  return data.read === "confirm" ? true : sampleOfSchema(fields(data.schema));
}

/** A value of a schema by its examples, options, type and format; a `pattern` is not solved. */
export function sampleOfSchema(schema: Fields): Json {
  const [example] = [schema.examples, schema.enum].filter(Array.isArray).flat();
  if (example !== undefined) return example as Json;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const [branch] = [schema.oneOf, schema.anyOf].filter(Array.isArray).flat();
  if (branch !== undefined) return sampleOfSchema(fields(branch));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return numberOf(schema);
  if (type === "array") return [sampleOfSchema(fields(schema.items))];
  if (type === "object")
    return Object.fromEntries(
      Object.entries(fields(schema.properties)).map(([name, each]) => [name, sampleOfSchema(fields(each))]),
    );
  return textOf(schema);
}

function numberOf({ minimum, exclusiveMinimum, maximum, multipleOf }: Fields): number {
  const least = typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : minimum;
  const found = typeof least === "number" ? least : typeof maximum === "number" ? Math.min(1, maximum) : 1;
  return typeof multipleOf === "number" ? Math.ceil(found / multipleOf) * multipleOf : found;
}

/** Dates are tomorrow, because most flows want a day to come. */
function textOf({ format, minLength, maxLength }: Fields): string {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const formats: Record<string, string> = {
    date: tomorrow.slice(0, 10),
    time: "10:00:00Z",
    "date-time": `${tomorrow.slice(0, 10)}T10:00:00Z`,
    duration: "PT1H",
    email: "ann@example.com",
    uri: "https://example.com",
    hostname: "example.com",
    uuid: "00000000-0000-4000-8000-000000000000",
  };
  const found = (typeof format === "string" && formats[format]) || "sample";
  if (typeof minLength === "number" && found.length < minLength) return found.padEnd(minLength, " sample");
  return typeof maxLength === "number" ? found.slice(0, maxLength) : found;
}

/** The answers of all questions, so that the guards of the shortest way to a node are true where they compare. */
export function samplesFor(flow: Flow, id: string): Fields {
  const found: Fields = {};
  for (const node of flow.nodes.values())
    if (node.type === "question" && typeof node.data.key === "string") found[node.data.key] = sampleOf(node.data);
  for (const edge of pathTo(flow, id) ?? []) {
    const guard = typeof edge.data.guard === "string" ? edge.data.guard : "";
    for (const [, key, value] of guard.matchAll(EQUALS)) if (key && value) found[key] = literal(value);
  }
  return found;
}
