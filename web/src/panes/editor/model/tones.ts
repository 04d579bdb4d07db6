// How the nodes and edges of two compared documents are painted.

import { type Fields, flowOf } from "../../../flow-canvas/flow";
import type { Tone } from "../../../flow-canvas/nodes";
import type { Compared } from "../api";
import { edgeKeys } from "../../../flow-canvas/edges";

export type Tones = Map<string, Tone>;

/** The tones of the earlier and of the later document. A part that differs only in its place or look has moved. */
export function tonesOf(compared: Compared): { before: Tones; after: Tones } {
  const before: Tones = new Map();
  const after: Tones = new Map();
  const keys = [compared.before, compared.after].map((each) => edgeKeys(flowOf(each as Fields)));
  const keyed = (index: number, what: string, id: string) => (what === "edge" ? (keys[index]?.get(id) ?? id) : id);
  for (const part of compared.parts) {
    const changed: Tone = part.layout_only || part.change === "moved" ? "moved" : "changed";
    if (part.before) before.set(keyed(0, part.what, part.before), part.change === "removed" ? "removed" : changed);
    if (part.after) after.set(keyed(1, part.what, part.after), part.change === "added" ? "added" : changed);
  }
  return { before, after };
}
