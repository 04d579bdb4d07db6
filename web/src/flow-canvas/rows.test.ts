import fc from "fast-check";
import { expect, test } from "vitest";
import { inRows } from "./rows";

test("no two nodes lie on each other, and nodes of a subgraph lie inside it", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(ids, fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { maxLength: 60 }), (all, pairs) => {
      const children = all.map((id) => ({ id: String(id), width: 200, height: 80 }));
      const edges = pairs.map(([from, to], at) => ({ id: `e${at}`, sources: [String(from)], targets: [String(to)] }));
      const laid = inRows({
        id: "",
        children: [
          { id: "open", children },
          { id: "end", width: 9, height: 9 },
        ],
        edges,
      });
      const [open, end] = laid.children!;
      expect(end!.y).toBeGreaterThan(open!.y! + open!.height! - 1);
      const inner = open!.children!;
      expect(inner).toHaveLength(all.length);
      for (const [at, one] of inner.entries()) {
        expect(one.x! + 200).toBeLessThan(open!.width!);
        for (const other of inner.slice(at + 1))
          expect(Math.abs(one.x! - other.x!) >= 200 || Math.abs(one.y! - other.y!) >= 80).toBe(true);
      }
    }),
  );
});

test("labels of edges lie neither on nodes nor on each other", () => {
  const label = { width: 160, height: 20 };
  const edges = ["b", "c", "a"].map((to, at) => ({ id: String(at), sources: ["a"], targets: [to], labels: [label] }));
  const children = ["a", "b", "c"].map((id) => ({ id, width: 216, height: 78 }));
  const laid = inRows({ id: "", children, edges });
  const boxes = [...laid.children!, ...laid.edges!.flatMap((each) => each.labels!)] as (typeof label & Place)[];
  for (const one of boxes)
    for (const other of boxes) expect(one === other || apart(one, other) || apart(other, one)).toBe(true);
});

interface Place {
  x: number;
  y: number;
}

const apart = (one: Place & { width: number; height: number }, other: Place): boolean =>
  one.x + one.width <= other.x || one.y + one.height <= other.y;
