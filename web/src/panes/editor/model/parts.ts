// Values inside a field of a node: one of them changes, the others stay as they are written.

import type { Fields } from "../../../flow-canvas/flow";
import { append, deleteIn, type Json, type Path, renameKey, setIn } from "./yamlEdit";

/** A change of a value inside a field: a value is set, removed, added to a list, or gets another key and value. */
export type PartChange =
  { set: Path; to: Json | undefined } | { add: Path; item: Json } | { rename: Path; name: string; to: Json };

/** The text after a change inside the node or edge at a path. */
export function changedPart(text: string, base: Path, change: PartChange): string {
  if ("add" in change) return append(text, [...base, ...change.add], change.item);
  if ("set" in change) {
    const at = [...base, ...change.set];
    return change.to === undefined ? deleteIn(text, at) : setIn(text, at, change.to);
  }
  const at = [...base, ...change.rename];
  return setIn(renameKey(text, at, change.name), [...at.slice(0, -1), change.name], change.to);
}

/** The data after a change, for a document that sets whole fields. */
export function changedData(data: Json | undefined, change: PartChange): Json | undefined {
  if ("set" in change) return put(data, change.set, change.to);
  if ("add" in change) return put(data, [...change.add, -1], change.item);
  return put(put(data, change.rename, undefined), [...change.rename.slice(0, -1), change.name], change.to);
}

/** The index -1 is the one after the last. */
function put(data: Json | undefined, [part, ...rest]: Path, to: Json | undefined): Json | undefined {
  if (part === undefined) return to;
  if (typeof part === "number") {
    const list = Array.isArray(data) ? data : [];
    const at = part < 0 ? list.length : part;
    const next = put(list[at], rest, to);
    return [...list.slice(0, at), ...(next === undefined ? [] : [next]), ...list.slice(at + 1)];
  }
  const { [part]: former, ...others } = (data ?? {}) as Fields;
  const next = put(former, rest, to);
  if (next === undefined) return others;
  return former === undefined ? { ...others, [part]: next } : { ...(data as Fields), [part]: next };
}
