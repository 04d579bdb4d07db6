// Guards as conditions that a form shows, one in a row: a name, how it is compared, and a value.

import { type Fields, type Flow, type FlowEdge, fields } from "../../../flow-canvas/flow";
import type { Json } from "./yamlEdit";

export const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="] as const;
type Comparison = (typeof COMPARISONS)[number];

/** A part of a guard; `source` is its text, which stays until the part is changed. */
export type Condition = { source: string } & (
  { test: Comparison; name: string; value: Json } | { test: "given" | "missing"; name: string } | { test: "text" }
);

export interface Guard {
  join: "&&" | "||";
  conditions: Condition[];
}

const LITERAL = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|true|false|-?\d+(?:\.\d+)?`;
const COMPARED = new RegExp(String.raw`^([A-Za-z_][\w.]*)\s*(==|!=|<=|>=|<|>)\s*(${LITERAL})$`, "s");
const GIVEN = /^(!?)\s*has\(\s*([A-Za-z_][\w.]*)\s*\)$/;

const valueOf = (literal: string): Json =>
  /^['"]/.test(literal) ? literal.slice(1, -1).replace(/\\(.)/gs, "$1") : (JSON.parse(literal) as Json);

function conditionOf(source: string): Condition {
  const compared = COMPARED.exec(source);
  if (compared)
    return { source, name: compared[1] ?? "", test: compared[2] as Comparison, value: valueOf(compared[3] ?? "''") };
  const given = GIVEN.exec(source);
  return given ? { source, name: given[2] ?? "", test: given[1] ? "missing" : "given" } : { source, test: "text" };
}

/** The parts between the operators `&&` and `||` outside of brackets and texts, and these operators. */
function split(guard: string): { parts: string[]; joins: Set<string> } {
  const parts: string[] = [];
  const joins = new Set<string>();
  let [depth, quote, start] = [0, "", 0];
  for (let at = 0; at < guard.length; at += 1) {
    const letter = guard.charAt(at);
    if (quote) {
      if (letter === "\\") at += 1;
      else if (letter === quote) quote = "";
    } else if (letter === "'" || letter === '"') quote = letter;
    else if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) depth -= 1;
    else if (depth === 0 && letter === "?") joins.add("?");
    else if (depth === 0 && ["&&", "||"].includes(guard.slice(at, at + 2))) {
      parts.push(guard.slice(start, at).trim());
      joins.add(guard.slice(at, at + 2));
      start = at + 2;
      at += 1;
    }
  }
  return { parts: [...parts, guard.slice(start).trim()], joins };
}

/** The conditions of a guard; one that mixes "and" with "or" is a single text. */
export function guardOf(source: string): Guard {
  const { parts, joins } = split(source);
  if (joins.size > 1 || joins.has("?")) return { join: "&&", conditions: [{ source: source.trim(), test: "text" }] };
  const [join] = joins;
  return { join: join === "||" ? "||" : "&&", conditions: parts.filter(Boolean).map(conditionOf) };
}

/** A value in an expression. A number of a schema of type `number` has decimals. */
export function literal(value: Json, kind: string): string {
  if (typeof value === "string") return `'${value.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`;
  if (typeof value === "number" && Number.isInteger(value) && kind === "number") return `${value}.0`;
  return String(value);
}

/** The text of a guard. */
export function textOf({ join, conditions }: Guard): string {
  const alone = conditions.length < 2;
  return conditions
    .map(({ source }) => (alone || split(source).joins.size === 0 ? source : `(${source})`))
    .join(` ${join} `);
}

/** The values that a name can have. */
export interface Subject {
  kind: "boolean" | "choice" | "number" | "integer" | "text";
  options: Option[];
}

export interface Option {
  value: Json;
  title: string;
  description?: string;
}

/** The options of a schema: those of `enum`, or of a `oneOf` of constants; null if it has none. */
export function optionsOf(schema: Fields): Option[] | null {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value, title: String(value) }));
  const all = Array.isArray(schema.oneOf) ? schema.oneOf.map(fields) : [];
  if (all.length === 0 || !all.every((each) => "const" in each)) return null;
  return all.map(({ const: value = null, title, description }) => ({
    value,
    title: typeof title === "string" && title ? title : String(value),
    ...(typeof description === "string" ? { description } : {}),
  }));
}

/** The values of an answer or a channel, by its schema. */
export function subjectOf(flow: Flow, name: string): Subject {
  const isAnswer = name.startsWith("answers.");
  const key = name.split(".").at(-1);
  const question = isAnswer ? [...flow.nodes.values()].find((each) => each.data.key === key) : undefined;
  const schema = fields(isAnswer ? question?.data.schema : fields(flow.data.state)[name]);
  const options = optionsOf(schema);
  if (options) return { kind: "choice", options };
  if (question?.data.read === "confirm" || schema.type === "boolean") return { kind: "boolean", options: [] };
  const kind = schema.type === "number" || schema.type === "integer" ? schema.type : "text";
  return { kind, options: [] };
}

/** A condition on a name: that the comparison holds, with a value that fits if the former one does not. */
export function comparing(flow: Flow, name: string, test: Condition["test"] = "==", value?: Json): Condition {
  if (test === "given") return { source: `has(${name})`, name, test };
  if (test === "missing") return { source: `!has(${name})`, name, test };
  const { kind, options } = subjectOf(flow, name);
  const isOrdered = kind === "number" || kind === "integer";
  const used = test === "text" || (!isOrdered && test !== "!=") ? "==" : test;
  const first = { boolean: true, choice: options[0]?.value ?? "", number: 0, integer: 0, text: "" }[kind];
  const wanted = typeof first;
  const fits = kind === "choice" ? options.some((each) => each.value === value) : typeof value === wanted;
  const taken = fits && value !== undefined ? value : first;
  return { source: `${name} ${used} ${literal(taken, kind)}`, name, test: used, value: taken };
}

/** The guards that a question offers for the edges after it: one for each answer, with its title. */
export function answersAfter(flow: Flow, edge: FlowEdge): { guard: string; value: Json; title: string }[] {
  const { data } = flow.nodes.get(edge.from) ?? { data: {} as Fields };
  if (typeof data.key !== "string") return [];
  const name = `answers.${data.key}`;
  const { kind, options } = subjectOf(flow, name);
  const all = kind === "boolean" ? [true, false].map((value) => ({ value, title: "" })) : options;
  return all.map(({ value, title }) => ({ guard: `${name} == ${literal(value, kind)}`, value, title }));
}
