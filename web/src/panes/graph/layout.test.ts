import { expect, test } from "vitest";
import type { GraphEdge } from "./api";
import { coloursOf, firstOf, joined } from "./layout";
import { placesOf } from "./forces";

const edge = (from: string, to: string): GraphEdge => ({
  ...{ from_label: "N", from_key: from, type: "T", to_label: "N", to_key: to, properties: {} },
});
const node = (key: string) => ({ label: "N", key, properties: {} });

test("no two nodes lie on each other, and known places stay about where they are", () => {
  const nodes = Array.from({ length: 120 }, (_, at) => `n${at}`);
  const edges = nodes.slice(1).map((id, at) => [id, at % 3 === 0 ? "n0" : `n${at}`] as const);
  const first = placesOf({ nodes, edges, known: {} });
  const all = Object.values(first);
  for (const [at, one] of all.entries())
    for (const other of all.slice(at + 1)) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(40);
  const again = placesOf({ nodes: [...nodes, "new"], edges: [...edges, ["new", "n0"]], known: first });
  for (const id of nodes) expect(again[id]).toEqual(first[id]);
  expect(Math.hypot(again.new!.x - first.n0!.x, again.new!.y - first.n0!.y)).toBeLessThan(600);
});

test("parts that no edge connects lie side by side", () => {
  const nodes = ["hub", ...Array.from({ length: 30 }, (_, at) => `n${at}`), "a", "b", "c", "alone"];
  const star = nodes.slice(1, 31).map((id) => ["hub", id] as const);
  const places = placesOf({ nodes, edges: [...star, ["a", "b"], ["b", "c"]], known: {} });
  const right = Math.max(...nodes.slice(0, 31).map((id) => places[id]!.x));
  const bottom = Math.max(...nodes.slice(0, 31).map((id) => places[id]!.y));
  for (const id of ["a", "b", "c", "alone"]) expect(places[id]!.x > right || places[id]!.y > bottom, id).toBe(true);
});

test("joining says nothing twice, and the first nodes keep their edges", () => {
  const part = { nodes: [node("a"), node("b")], edges: [edge("a", "b")], truncated: false };
  expect(joined(part, part)).toEqual(part);
  expect(firstOf(part, 2)).toBe(part);
  expect(firstOf(part, 1)).toEqual({ nodes: [node("a")], edges: [], truncated: true });
});

test("few labels have different colours, and keep them", () => {
  const labels = ["Person", "Team", "Tool", "Ticket"];
  expect(new Set(coloursOf(labels).values()).size).toBe(4);
  expect(coloursOf(["Person"]).get("Person")).toBe(coloursOf(["Person", "Person"]).get("Person"));
});
