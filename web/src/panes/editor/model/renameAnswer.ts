// Gives the answer to a question another key, in the question and in everything of the document that reads it.

import type { Flow, FlowNode } from "../../../flow-canvas/flow";
import { setField } from "./commands";
import { readFlow } from "./flow";
import { CannotEdit, type Json, type Path, setIn } from "./yamlEdit";

const NAME = /^[A-Za-z_]\w*$/;
const EXPRESSIONS = ["guard", "when", "validate", "over", "never", "unless", "always_before", "comes", "eventually"];
const TEXTS = ["prompt", "invalid_prompt", "say", "with"];

/**
 * Gives the answer to a question another key. Only the question itself changes if another question has the old or the
 * new key, because it is not certain then which of them an expression reads. Python is never changed.
 */
export function renameAnswer(text: string, id: string, name: string): string {
  const flow = readFlow(text);
  const node = flow?.nodes.get(id);
  if (!flow || !node) throw new CannotEdit(`There is no node ${id}.`);
  const { key } = node.data;
  const renamed = setField(text, node.path, "key", name || undefined);
  if (typeof key !== "string" || !NAME.test(key) || !NAME.test(name) || !isAlone(flow, node, key, name)) return renamed;
  const change = changing(flow, key, name);
  return [...strings(flow.data, [])].reduce((now, [path, value]) => {
    const next = change(path, value);
    return next === value ? now : setIn(now, path, next);
  }, renamed);
}

const isAlone = (flow: Flow, node: FlowNode, ...keys: string[]): boolean =>
  [...flow.nodes.values()].every(
    (each) => each === node || !(keys.includes(String(each.data.key)) || keys.includes(String(each.data.as))),
  );

/** All texts in the data, with their paths. */
export function* strings(data: Json, path: Path): Generator<[Path, string]> {
  if (typeof data === "string") yield [path, data];
  else if (Array.isArray(data)) for (const [index, each] of data.entries()) yield* strings(each, [...path, index]);
  else if (data && typeof data === "object")
    for (const [field, each] of Object.entries(data)) yield* strings(each as Json, [...path, field]);
}

/** The function that changes a text at a path, if that is read as an expression, has one in it, or names answers. */
function changing(flow: Flow, key: string, name: string): (path: Path, value: string) => string {
  const scopes = [...flow.nodes.values()].map((each) => each.data.as).filter((as) => NAME.test(String(as)));
  const inScopes = scopes.length > 0 ? `(?:(?:${scopes.join("|")})\\.)*` : "";
  const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
  const read = new RegExp(String.raw`(${quoted})|(?<![\w.])(answers\.${inScopes})${key}\b`, "g");
  const alone = new RegExp(`^(${inScopes})${key}$`);
  const expression = (value: string) =>
    value.replace(read, (whole, text: string | undefined, before: string) => (text ? whole : `${before}${name}`));
  const template = (value: string) =>
    value.replace(/\{\{(.*?)\}\}/gs, (_, inside: string) => `{{${expression(inside)}}}`);
  return (path, value) => {
    const fields = path.filter((part) => typeof part === "string");
    const field = fields.at(-1) ?? "";
    if (fields.includes("ui") || fields.includes("schema") || fields[0] === "state") return value;
    if (field === "one_of") return value.replace(alone, (_, before: string) => `${before}${name}`);
    if (fields.some((each) => TEXTS.includes(each))) return template(value);
    return EXPRESSIONS.includes(field) || fields[0] === "predicates" ? expression(value) : value;
  };
}
