import { describe, expect, it } from "vitest";
import { readFlow } from "./flow";

describe("a hostile document", () => {
  it("is not read, and does not raise", () => {
    const bomb = ["a0: &a0 [x]"];
    for (let n = 1; n < 12; n += 1)
      bomb.push(
        `a${n}: &a${n} [${Array(10)
          .fill(`*a${n - 1}`)
          .join(", ")}]`,
      );
    expect(readFlow(bomb.join("\n"))).toBe(null);
    expect(readFlow("[".repeat(20_000))).toBe(null);
    expect(readFlow("nodes: [{id: a, ty")).toBe(null);
    expect(readFlow("nodes: *a")).toBe(null);
    for (const text of ["", "- 1", "nodes: {a: 1}", "nodes: [1, {id: 2}, {id: a}, {id: a}]\nedges: [x, {from: a}]"])
      expect(() => readFlow(text)).not.toThrow();
  });

  it("with 10,000 nodes is read in a moment", () => {
    const nodes = Array.from({ length: 10_000 }, (_, n) => `  - {id: n${n}, type: decision}`);
    const edges = Array.from({ length: 9_999 }, (_, n) => `  - {from: n${n}, to: n${n + 1}}`);
    const flow = readFlow(["nodes:", ...nodes, "edges:", ...edges].join("\n"));
    expect(flow?.nodes.size).toBe(10_000);
    expect(flow?.edges.size).toBe(9_999);
  });
});
