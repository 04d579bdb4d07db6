// Edits of YAML and JSON text by path. Each changes only the text of the value: comments, order and style of the rest stay.

import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Path = readonly (string | number)[];

/** An edit cannot be made, for example because the text has a syntax error or the path leads through an alias. */
export class CannotEdit extends Error {}

/** Parses a text; the document may have errors. Numbers and booleans are read as the compiler reads them. */
export const parsed = (text: string): Document.Parsed =>
  parseDocument(text, { keepSourceTokens: true, uniqueKeys: false, prettyErrors: false });

function readable(text: string): Document.Parsed {
  const document = parsed(text);
  const [error] = document.errors;
  if (error) throw new CannotEdit(error.message);
  return document;
}

/** Sets the value at a path. A missing key is added at the end of its map; missing maps on the way are created. */
export function setIn(text: string, path: Path, value: Json): string {
  const document = readable(text);
  notShared(document, path);
  return verified(
    text,
    document,
    () => withSet(text, document, path, value),
    (data) => placed(data, path, value),
    (ast) => ast.setIn(path, ast.createNode(value)),
  );
}

/** Removes a key of a map or an item of a list. Does nothing if there is none. */
export function deleteIn(text: string, path: Path): string {
  const document = readable(text);
  if (valueAt(document, path) === undefined) return text;
  notShared(document, path);
  return verified(
    text,
    document,
    () => withoutPath(text, document, path),
    (data) => removed(data, path),
    (ast) => void ast.deleteIn(path),
  );
}

/** Adds a value at the end of the list at a path. A missing list is created. */
export function append(text: string, path: Path, value: Json): string {
  const document = readable(text);
  const list = document.getIn(path, true);
  return verified(
    text,
    document,
    () => (isSeq(list) && list.items.length > 0 ? appended(text, list, value) : withList(text, document, path, value)),
    (data) => appendedTo(data, path, value),
    (ast) => {
      if (isSeq(ast.getIn(path, true))) ast.addIn(path, ast.createNode(value));
      else ast.setIn(path, ast.createNode([value]));
    },
  );
}

/** Renames a key of a map; its place and its value stay. */
export function renameKey(text: string, path: Path, name: string): string {
  const document = readable(text);
  const key = path.at(-1);
  const map = document.getIn(path.slice(0, -1), true);
  const pair = isMap(map) ? map.items.find((each) => keyOf(each) === key) : undefined;
  if (!pair || !isScalar(pair.key) || !pair.key.range) throw new CannotEdit(`There is no key ${String(key)}.`);
  const [start, end] = pair.key.range;
  return spliced(text, start, end, inline(name, jsonStyle(text)));
}

/** The text after an edit. If the edit of the text does not give the expected data, the whole document is written again. */
function verified(
  text: string,
  source: Document.Parsed,
  edit: () => string,
  change: (data: Json) => Json,
  ast: (document: Document.Parsed) => void,
): string {
  const expected = change(source.toJS() as Json);
  try {
    const edited = edit();
    const document = parsed(edited);
    if (!document.errors.length && same(document.toJS() as Json, expected)) return edited;
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error;
  }
  const document = readable(text);
  ast(document);
  const written = document.toString({ lineWidth: 0 });
  if (!same(readable(written).toJS() as Json, expected)) throw new CannotEdit("The text cannot be changed here.");
  return written;
}

/** Refuses a value that other places share: a change of one would change or break the others. */
function notShared(document: Document.Parsed, path: Path): void {
  for (let length = 1; length <= path.length; length += 1)
    if (isAlias(document.getIn(path.slice(0, length), true) ?? valueAt(document, path.slice(0, length))))
      throw new CannotEdit("The value is shared by an alias. Change it in the text.");
  const node = valueAt(document, path);
  let anchored = false;
  if (isNode(node)) visit(node, { Node: (_, each) => void (anchored ||= "anchor" in each && Boolean(each.anchor)) });
  if (anchored) throw new CannotEdit("The value has an anchor that other places use. Change it in the text.");
}

/** The node at a path, where `getIn` would follow an alias. */
function valueAt(document: Document.Parsed, path: Path): unknown {
  let node: unknown = document.contents;
  for (const name of path) {
    if (isMap(node)) node = node.items.find((each) => keyOf(each) === name)?.value;
    else if (isSeq(node)) node = node.items[Number(name)];
    else return node;
  }
  return node;
}

const spliced = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end);

const keyOf = (pair: Pair): unknown => (isScalar(pair.key) ? pair.key.value : pair.key);

function jsonStyle(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A value on one line, valid in every context. */
function inline(value: Json, json: boolean): string {
  if (json) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, false)).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).map(([name, item]) => `${inline(name, false)}: ${inline(item, false)}`);
    return `{${entries.join(", ")}}`;
  }
  if (typeof value !== "string") return JSON.stringify(value);
  if (/[\n\r]/.test(value)) return JSON.stringify(value);
  // Older parsers of YAML end a plain text inside braces at a question mark.
  if (value.includes("?")) return JSON.stringify(value);
  return stringify([value], { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false })
    .trim()
    .slice(1, -1);
}

/** A string in the style of the scalar that it replaces. */
function scalarText(old: Node | null | undefined, value: Json, indent: number, json: boolean, flow: boolean): string {
  if (json || typeof value !== "string") return inline(value, json);
  if (value.includes("\n") && !flow) return blockText(value, indent) ?? JSON.stringify(value);
  const plain = inline(value, false);
  if (!isScalar(old) || plain.startsWith('"')) return plain;
  if (old.type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value);
  if (old.type === Scalar.QUOTE_SINGLE) return `'${value.replaceAll("'", "''")}'`;
  return plain;
}

/** A literal block, or null where one would need an indentation indicator. */
function blockText(value: string, indent: number): string | null {
  const lines = value.replace(/\n+$/, "").split("\n");
  if (/^\s/.test(value) || lines.some((line) => /[\t ]$/.test(line)) || /\n\n+$/.test(value)) return null;
  const space = " ".repeat(indent);
  return `|${value.endsWith("\n") ? "" : "-"}\n${lines.map((line) => (line ? space + line : "")).join("\n")}`;
}

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const column = (text: string, at: number): number => at - lineStart(text, at);

const isFlow = (node: unknown): boolean => isCollection(node) && node.flow === true;

/** The end of the last value inside a node, without the comment and the blank lines after it. */
function contentEnd(node: unknown, fallback: number): number {
  if (isPair(node)) {
    const key = contentEnd(node.key, fallback);
    return node.value === null ? key : contentEnd(node.value, key);
  }
  if (isCollection(node) && !isFlow(node) && node.items.length > 0) return contentEnd(node.items.at(-1), fallback);
  const range = (node as Node | null)?.range;
  if (!range) return fallback;
  return range[1] === range[0] ? Math.max(range[0], fallback) : range[1];
}

/** The end of the line at a position: before its line break. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Where a new line may be inserted after a value: the position, and whether a line break ends there already. */
function afterLine(text: string, at: number): { at: number; broken: boolean } {
  return at > 0 && text[at - 1] === "\n" ? { at, broken: true } : { at: lineEnd(text, at), broken: false };
}

function insertedLines(text: string, after: number, lines: string): string {
  const { at, broken } = afterLine(text, after);
  return spliced(text, at, at, broken ? `${lines}\n` : `\n${lines}`);
}

function flowInserted(text: string, node: YAMLMap | YAMLSeq, entry: string): string {
  const last = node.items.at(-1);
  const open = (node.range?.[0] ?? 0) + 1;
  if (!last) return spliced(text, open, open, entry);
  const end = contentEnd(last, open);
  return spliced(text, end, end, `, ${entry}`);
}

const holdsObjects = (value: Json): value is Json[] =>
  Array.isArray(value) && value.some((item) => item !== null && typeof item === "object");

/** Whether a map has lists of maps, as a graph has. */
const holdsLists = (value: Json): value is { [name: string]: Json } =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  Object.values(value).some((each) => holdsObjects(each) || holdsLists(each));

/** A key of a block map with its value: on one line, or a list of maps with a line for each. */
function blockEntry(name: string, value: Json, indent: number, json: boolean): string {
  const space = " ".repeat(indent);
  const key = `${space}${inline(name, json)}:`;
  if (holdsObjects(value)) return [key, ...value.map((item) => `${space}  - ${inline(item, json)}`)].join("\n");
  if (holdsLists(value))
    return [key, ...Object.entries(value).map(([each, item]) => blockEntry(each, item, indent + 2, json))].join("\n");
  return `${key} ${scalarText(null, value, indent + 2, json, false)}`;
}

function withSet(text: string, document: Document.Parsed, path: Path, value: Json): string {
  const json = jsonStyle(text);
  if (document.hasIn(path)) return replaced(text, document, path, value, json);
  const name = path.at(-1);
  const parent = document.getIn(path.slice(0, -1), true);
  if (isSeq(parent) && typeof name === "number") return appended(text, parent, value);
  if (!isMap(parent)) {
    if (path.length < 2) throw new CannotEdit("The document is not a map.");
    return withSet(text, document, path.slice(0, -1), { [String(name)]: value });
  }
  if (isFlow(parent)) return flowInserted(text, parent, `${inline(String(name), json)}: ${inline(value, json)}`);
  const first = parent.items[0];
  const key = (first?.key as Node | undefined)?.range?.[0];
  if (key === undefined) throw new CannotEdit("The map is empty.");
  return insertedLines(text, contentEnd(parent, key), blockEntry(String(name), value, column(text, key), json));
}

function replaced(text: string, document: Document.Parsed, path: Path, value: Json, json: boolean): string {
  const node = document.getIn(path, true) as Node | null | undefined;
  const parent = document.getIn(path.slice(0, -1), true);
  const flow = insideFlow(document, path);
  const pair = isMap(parent) ? parent.items.find((each) => keyOf(each) === path.at(-1)) : undefined;
  const keyStart = (pair?.key as Node | undefined)?.range?.[0] ?? 0;
  const written = isCollection(node)
    ? inline(value, json)
    : scalarText(node, value, column(text, keyStart) + 2, json, flow);
  if (!node?.range) throw new CannotEdit("The value has no place in the text.");
  const [start] = node.range;
  if (node.range[1] === start) {
    // An empty value: `key:` alone.
    const end = (pair?.key as Node | undefined)?.range?.[1] ?? start;
    const colon = text.indexOf(":", end);
    return spliced(text, colon + 1, colon + 1, ` ${written}`);
  }
  const end = contentEnd(node, start);
  const trailing = end > start && text[end - 1] === "\n" ? "\n" : "";
  if (isCollection(node) && !isFlow(node)) {
    const colon = pair ? text.indexOf(":", (pair.key as Node).range?.[1] ?? start) : -1;
    const from = colon >= 0 && /^\s*$/.test(text.slice(colon + 1, start)) ? colon + 1 : start;
    return spliced(text, from, end, `${from < start ? " " : ""}${written}${trailing}`);
  }
  return spliced(text, start, end, written + trailing);
}

function insideFlow(document: Document.Parsed, path: Path): boolean {
  return path.some((_, index) => isFlow(document.getIn(path.slice(0, index), true)));
}

/** The position of the dash of an item of a block list. */
function dashOf(list: YAMLSeq, index: number): number | undefined {
  const token = list.srcToken;
  if (token?.type !== "block-seq") return undefined;
  const start = token.items[index]?.start.find((each) => each.type === "seq-item-ind");
  return start?.offset;
}

function appended(text: string, list: YAMLSeq, value: Json): string {
  const json = jsonStyle(text);
  if (isFlow(list)) return flowInserted(text, list, inline(value, json));
  const dash = dashOf(list, 0);
  if (dash === undefined) throw new CannotEdit("The list has no dash.");
  return insertedLines(text, contentEnd(list, dash), `${" ".repeat(column(text, dash))}- ${inline(value, json)}`);
}

/** A list in place of a missing or empty one. */
function withList(text: string, document: Document.Parsed, path: Path, value: Json): string {
  const existing = document.getIn(path, true) as Node | null | undefined;
  if (!document.hasIn(path)) return withSet(text, document, path, [value]);
  if (isSeq(existing) && (jsonStyle(text) || insideFlow(document, path)))
    return flowInserted(text, existing, inline(value, jsonStyle(text)));
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find((each) => keyOf(each) === path.at(-1)) : undefined;
  const key = (pair?.key as Node | undefined)?.range;
  if (!key || insideFlow(document, path)) return replaced(text, document, path, [value], jsonStyle(text));
  const colon = text.indexOf(":", key[1]);
  const end = existing?.range && existing.range[1] > existing.range[0] ? existing.range[1] : colon + 1;
  return spliced(text, colon + 1, end, `\n${" ".repeat(column(text, key[0]) + 2)}- ${inline(value, false)}`);
}

function withoutPath(text: string, document: Document.Parsed, path: Path): string {
  const parent = document.getIn(path.slice(0, -1), true);
  const name = path.at(-1);
  if (!isCollection(parent)) throw new CannotEdit("There is nothing to remove.");
  const index = isSeq(parent) ? Number(name) : parent.items.findIndex((each) => keyOf(each as Pair) === name);
  if (parent.items.length === 1) return emptied(text, document, path.slice(0, -1), parent as YAMLMap | YAMLSeq);
  if (isFlow(parent)) return flowRemoved(text, parent as YAMLMap | YAMLSeq, index);
  return blockRemoved(text, parent as YAMLMap | YAMLSeq, index);
}

/** The text without the only item of a list or map, which is `[]` or `{}` then. Comments around the item stay. */
function emptied(text: string, document: Document.Parsed, path: Path, node: YAMLMap | YAMLSeq): string {
  const empty: Json = isSeq(node) ? [] : {};
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find((each) => keyOf(each) === path.at(-1)) : undefined;
  const key = (pair?.key as Node | undefined)?.range;
  const start = isSeq(node) ? (dashOf(node, 0) ?? -1) : startOf(node.items[0]);
  if (isFlow(node) || !key || start < 0 || /\S/.test(text.slice(lineStart(text, start), start)))
    return replaced(text, document, path, empty, jsonStyle(text));
  const colon = text.indexOf(":", key[1]);
  return spliced(blockRemoved(text, node, 0), colon + 1, colon + 1, ` ${inline(empty, false)}`);
}

const startOf = (item: unknown): number => ((isPair(item) ? item.key : item) as Node | null)?.range?.[0] ?? 0;

function flowRemoved(text: string, node: YAMLMap | YAMLSeq, index: number): string {
  const [item, before, after] = [node.items[index], node.items[index - 1], node.items[index + 1]];
  if (before) {
    const from = contentEnd(before, startOf(before));
    return spliced(text, from, contentEnd(item, startOf(item)), "");
  }
  return spliced(text, startOf(item), startOf(after), "");
}

function blockRemoved(text: string, node: YAMLMap | YAMLSeq, index: number): string {
  const item = node.items[index];
  const start = isSeq(node) ? (dashOf(node, index) ?? -1) : startOf(item);
  if (start < 0) throw new CannotEdit("The item has no dash.");
  const end = contentEnd(item, start);
  if (/\S/.test(text.slice(lineStart(text, start), start))) {
    // It begins behind the dash of the list around it: the next key takes its place.
    const next = node.items[index + 1];
    if (!next) throw new CannotEdit("The item shares its line.");
    return spliced(text, start, startOf(next), "");
  }
  const { at, broken } = afterLine(text, end);
  const from = lineStart(text, start);
  if (broken) return spliced(text, from, at, "");
  // The last line does not end with a line break: the one before it is removed.
  return at === text.length ? spliced(text, Math.max(from - 1, 0), at, "") : spliced(text, from, at + 1, "");
}

/** Whether two values are the same JSON. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b || (typeof a === "number" && typeof b === "number" && Number.isNaN(a) && Number.isNaN(b))) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]));
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]));
}

function at(data: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, name) => (value !== null && typeof value === "object" ? (value as Record<string, Json>)[name] : undefined),
    data,
  );
}

function placed(data: Json, path: Path, value: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(data)) {
    const items = [...data];
    items[Number(name)] = placed(items[Number(name)] ?? null, rest, value);
    return items;
  }
  const map = data !== null && typeof data === "object" ? data : {};
  return { ...map, [name]: placed(map[String(name)] ?? null, rest, value) };
}

function removed(data: Json, path: Path): Json {
  const parent = at(data, path.slice(0, -1));
  const name = path.at(-1);
  if (Array.isArray(parent))
    return placed(
      data,
      path.slice(0, -1),
      parent.filter((_, index) => index !== name),
    );
  const { [String(name)]: _, ...rest } = parent as Record<string, Json>;
  return placed(data, path.slice(0, -1), rest);
}

function appendedTo(data: Json, path: Path, value: Json): Json {
  const list = at(data, path);
  return placed(data, path, [...(Array.isArray(list) ? list : []), value]);
}
