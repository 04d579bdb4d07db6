import fc from "fast-check";
import { expect, test } from "vitest";
import { backEdges, farEdges } from "./references";

const edge = (from: string, to: string) => ({ key: `${from}->${to}`, from, to });

test("many edges back to the entry are references, few are lines", () => {
  const loop = (n: number) =>
    Array.from({ length: n }, (_, at) => [edge("a", String(at)), edge(String(at), "a")]).flat();
  expect(farEdges("a", loop(6))).toEqual(new Set(["0->a", "1->a", "2->a", "3->a", "4->a", "5->a"]));
  expect(farEdges("a", loop(5))).toEqual(new Set());
});

test("of many edges to one end the first are lines, those from far below are references", () => {
  const rooms = Array.from({ length: 8 }, (_, at) => [edge(`r${at}`, `r${at + 1}`), edge(`r${at}`, "out")]).flat();
  expect([...farEdges("r0", rooms)]).toEqual([2, 3, 4, 5, 6, 7].map((at) => `r${at}->out`));
});

test("without its back edges a graph has no cycle", () => {
  const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 40 });
  fc.assert(
    fc.property(edges, (pairs) => {
      const all = pairs.map(([from, to], at) => ({ key: String(at), from: String(from), to: String(to) }));
      const back = backEdges("0", all);
      const ahead = all.filter(({ key }) => !back.has(key));
      let left = new Set(ahead.flatMap(({ from, to }) => [from, to]));
      for (let before = -1; left.size !== before;) {
        before = left.size;
        left = new Set([...left].filter((id) => ahead.some(({ from, to }) => to === id && left.has(from))));
      }
      expect(left.size).toBe(0);
    }),
  );
});
