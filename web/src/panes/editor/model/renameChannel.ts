// Gives a channel another name, in `state` and in everything of the document that names it.

import { type Flow, fields } from "../../../flow-canvas/flow";
import { setField } from "./commands";
import { readFlow } from "./flow";
import { strings } from "./renameAnswer";
import { CannotEdit, type Path, renameKey, setIn } from "./yamlEdit";

const NAME = /^[A-Za-z_]\w*$/;
const EXPRESSIONS = ["guard", "when", "validate", "unless"];
const TEXTS = ["prompt", "invalid_prompt", "say", "with"];
const NAMES = ["options", "over"];
const OF_MAP = ["over", "as", "result", "into", "errors"];

/**
 * Gives a channel another name. If `active` has the channel, conversations may wait with a value of it: `was` keeps its
 * earlier name. Python is never changed: the actions that read or write the channel have to name it anew.
 */
export function renameChannel(text: string, name: string, to: string, active: Flow | null = null): string {
  const flow = readFlow(text);
  const channels = fields(flow?.data.state);
  if (!flow || !(name in channels)) throw new CannotEdit(`There is no channel ${name}.`);
  if (!NAME.test(to)) throw new CannotEdit(`The name of a channel consists of letters, digits and _, unlike ${to}.`);
  if (to in channels) throw new CannotEdit(`There is a channel ${to} already.`);
  const change = changing(name, to);
  const read = [...strings(flow.data, [])].reduce((now, [path, value]) => {
    const next = change(path, value);
    return next === value ? now : setIn(now, path, next);
  }, text);
  const { was = [] } = fields(channels[name]);
  const earlier = [was].flat().filter((each) => each !== to);
  if (name in fields(active?.data.state)) earlier.push(name);
  const [first] = earlier;
  return setField(renameKey(read, ["state", name], to), ["state", to], "was", earlier.length > 1 ? earlier : first);
}

/** The function that changes a text at a path, if that is an expression, has one in it, or is the name of a channel. */
function changing(name: string, to: string): (path: Path, value: string) => string {
  const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
  const read = new RegExp(String.raw`(${quoted})|(?<![\w.])${name}\b(?!\s*\()`, "g");
  const expression = (value: string) =>
    value.replace(read, (whole, inQuotes: string | undefined) => (inQuotes === undefined ? to : whole));
  const template = (value: string) =>
    value.replace(/\{\{(.*?)\}\}/gs, (_, inside: string) => `{{${expression(inside)}}}`);
  return (path, value) => {
    const parts = path.filter((part) => typeof part === "string");
    const field = parts.at(-1) ?? "";
    if (parts.includes("ui") || parts.includes("schema") || parts[0] === "state") return value;
    const isName =
      NAMES.includes(field) ||
      (parts.at(-2) === "map" && OF_MAP.includes(field)) ||
      (parts.at(-2) === "with" && field === "into") ||
      (parts.length === 1 && ["language", "status"].includes(field));
    if (isName) return value === name ? to : value;
    if (parts.some((each) => TEXTS.includes(each))) return template(value);
    return EXPRESSIONS.includes(field) || parts[0] === "predicates" ? expression(value) : value;
  };
}
