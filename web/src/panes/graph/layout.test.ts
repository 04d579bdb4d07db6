import { expect, test } from "vitest";
import type { GraphEdge } from "./api";
import { joined, places } from "./layout";

const edge = (from: string, to: string): GraphEdge => ({
  ...{ from_label: "N", from_key: from, type: "T", to_label: "N", to_key: to, properties: {} },
});

test("no two nodes lie on each other, also in circles and with edges to themselves", () => {
  const edges = [...Array(30).keys()].map((n) => edge("hub", `n${n}`));
  edges.push(edge("n1", "n2"), edge("hub", "hub"), ...[...Array(9).keys()].map((n) => edge(`m${n}`, "n3")));
  const found = [...places("N/hub", edges).values()];
  expect(found).toHaveLength(40);
  for (const [at, one] of found.entries())
    for (const other of found.slice(at + 1)) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(40);
});

test("a crowd stands in rows, so that its drawing stays small", () => {
  const found = [
    ...places(
      "N/hub",
      [...Array(119).keys()].map((n) => edge("hub", `n${n}`)),
    ).values(),
  ];
  for (const [at, one] of found.entries())
    for (const other of found.slice(at + 1)) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(40);
  expect(Math.max(...found.map(({ x, y }) => Math.hypot(x, y)))).toBeLessThan(600);
});

test("a node without edges stands alone, and joining says nothing twice", () => {
  expect([...places("N/a", [])]).toEqual([["N/a", { x: 0, y: 0 }]]);
  const part = { nodes: [{ label: "N", key: "a", properties: {} }], edges: [edge("a", "b")], truncated: false };
  expect(joined(part, part)).toEqual(part);
});
