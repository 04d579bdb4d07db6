import { describe, expect, it } from "vitest";
import type { Compared } from "../api";
import { tonesOf } from "./tones";

const NODES = [
  { id: "a", type: "decision" },
  { id: "b", type: "terminal" },
];
const part = (what: "node" | "edge", change: Compared["parts"][number]["change"], before: string, after: string) => ({
  what,
  change,
  before,
  after,
  layout_only: false,
});

describe("the tones of a comparison", () => {
  it("paint each side by its own ids, and parallel edges one by one", () => {
    const { before, after } = tonesOf({
      summary: "",
      lines: [],
      before: { nodes: NODES, edges: [{ from: "a", to: "b", guard: "x" }] },
      after: {
        nodes: [...NODES, { id: "c", type: "terminal" }],
        edges: [
          { from: "a", to: "b", guard: "y" },
          { from: "a", to: "b", guard: "else" },
        ],
      },
      parts: [
        part("node", "added", "", "c"),
        part("node", "renamed", "b", "b2"),
        { ...part("node", "changed", "a", "a"), layout_only: true },
        part("edge", "changed", "a->b", "a->b"),
        part("edge", "added", "", "a->b#2"),
      ],
    });
    expect(Object.fromEntries(before)).toEqual({ b: "changed", a: "moved", ":a->b": "changed" });
    expect(Object.fromEntries(after)).toEqual({
      c: "added",
      b2: "changed",
      a: "moved",
      ":a->b": "changed",
      ":a->b#2": "added",
    });
  });
});
