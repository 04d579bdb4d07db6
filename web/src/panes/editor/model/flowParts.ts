// The channels, constraints and assurances of a flow: what their forms read and write.

import { type Fields, type Flow, fields } from "../../../flow-canvas/flow";
import { readFlow } from "./flow";
import { append, CannotEdit, deleteIn, type Json, setIn } from "./yamlEdit";

export const TYPES = ["string", "number", "integer", "boolean", "array", "object"] as const;

/** Whether a value has a JSON type. */
function isOf(value: Json, type: string): boolean {
  if (value === null) return true;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return typeof value === type && !Array.isArray(value);
}

/** Gives a channel another type. A default of another type goes. */
export function setChannelType(text: string, name: string, type: string): string {
  const typed = setIn(text, ["state", name, "type"], type);
  const { default: value = null } = fields(fields(readFlow(text)?.data.state)[name]);
  return isOf(value, type) ? typed : deleteIn(typed, ["state", name, "default"]);
}

/** Removes an entry of a list or a record; an empty rest goes as well. */
export function removeEntry(text: string, [part, at]: readonly [string, string | number]): string {
  const rest = readFlow(text)?.data[part];
  return Object.keys(rest ?? {}).length === 1 ? deleteIn(text, [part]) : deleteIn(text, [part, at]);
}

/** Adds a constraint and its condition, a new predicate, which always holds at first. */
export function addConstraint(text: string): string {
  const predicates = fields(readFlow(text)?.data.predicates);
  let number = 1;
  while (`condition_${number}` in predicates) number += 1;
  const name = `condition_${number}`;
  return append(setIn(text, ["predicates", name], "true"), ["constraints"], { require: name });
}

/** Removes a constraint, and its predicate if nothing else names it. */
export function removeConstraint(text: string, at: number): string {
  const flow = readFlow(text);
  if (!flow) throw new CannotEdit("The text has a syntax error. Correct it first.");
  const list = flow.data.constraints;
  const { require: name } = fields(Array.isArray(list) ? list[at] : undefined);
  const now = removeEntry(text, ["constraints", at]);
  if (typeof name !== "string" || !(name in fields(flow.data.predicates))) return now;
  return new RegExp(`\\b${name}\\b`, "g").exec(now.replace(new RegExp(`\\b${name}\\b`), ""))
    ? now
    : removeEntry(now, ["predicates", name]);
}

/** The groups of answers of a constraint: a group in a line, its keys after each other. */
export const groupsText = (groups: Json | undefined): string =>
  (Array.isArray(groups) ? groups : []).map((each) => (Array.isArray(each) ? each.join(", ") : "")).join("\n");

export const groupsIn = (text: string): string[][] =>
  text
    .split("\n")
    .map((line) => line.split(",").flatMap((key) => key.trim() || []))
    .filter((group) => group.length > 0);

export const PROMISES = ["never", "always_before", "eventually"] as const;
export type Promised = (typeof PROMISES)[number];

/** The possible subjects of an assurance: nodes, actions and answers. */
export function claimsOf(flow: Flow): string[] {
  const nodes = [...flow.nodes.values()];
  const texts = (name: string) => nodes.flatMap(({ data }) => (typeof data[name] === "string" ? [data[name]] : []));
  return [
    ...new Set([...nodes.map((each) => each.id), ...texts("run"), ...texts("key").map((key) => `answers.${key}`)]),
  ];
}

export const promiseOf = (data: Fields): Promised => PROMISES.find((each) => each in data) ?? "never";

/** The entries of `unless`, one in a line. */
export const unlessText = (unless: Json | undefined): string => [unless ?? []].flat().map(String).join("\n");

export function unlessIn(text: string): Json | undefined {
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return lines.length > 1 ? lines : lines[0];
}

/** The assurance of another kind about the same, with another claim if it needs one. */
export function promised(data: Fields, kind: Promised, claims: readonly string[]): Fields {
  const what = data[promiseOf(data)] ?? "";
  return kind === "always_before"
    ? { always_before: what, comes: claims.find((each) => each !== what) ?? "" }
    : { [kind]: what };
}
