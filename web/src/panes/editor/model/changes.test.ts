import { expect, test } from "vitest";
import type { ChangeLine, ChangedPart } from "../api";
import { changesOf } from "./changes";

const line = (kind: ChangeLine["kind"], text: string): ChangeLine => ({ kind, text, pieces: [] });
const part = (what: "node" | "edge", before: string, after: string, layout_only = false): ChangedPart => ({
  what,
  change: before ? (after ? "changed" : "removed") : "added",
  before,
  after,
  layout_only,
});

test("Entries have their details and their parts; a text that is shown whole is a detail", () => {
  const groups = changesOf({
    lines: [
      line("heading", "nodes"),
      line("changed", "  ~ done (terminal)"),
      line("detail", "      say:"),
      line("removed", '        - "Bye {{ a }}"'),
      line("added", '        + "Bye {{ b }}"'),
      line("added", "  + left (terminal)"),
      line("heading", "edges"),
      line("removed", "  - a -> b"),
      line("detail", "  and 7 more; --format json has all of them"),
      line("heading", "layout: 1 element differs in ui or tags only"),
    ],
    parts: [
      part("node", "moved", "moved", true),
      part("node", "done", "done"),
      part("node", "", "left"),
      part("edge", "a->b", ""),
    ],
  });
  expect(groups.map(({ heading, changes, notes }) => [heading.slice(0, 6), changes.length, notes.length])).toEqual([
    ["nodes", 2, 0],
    ["edges", 1, 1],
    ["layout", 0, 0],
  ]);
  const [done, left] = groups[0]?.changes ?? [];
  expect([done?.text, done?.details.length, done?.part?.after]).toEqual(["done (terminal)", 3, "done"]);
  expect([left?.tone, left?.part?.after, groups[1]?.changes[0]?.part?.before]).toEqual(["added", "left", "a->b"]);
});
