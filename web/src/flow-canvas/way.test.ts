import { expect, test } from "vitest";
import type { RunEvent } from "../api";
import { flowOf } from "./flow";
import { openedOn, walkOf, wayIn, wayOfNodes } from "./way";

const events = (...given: object[]) => given as RunEvent[];
const turn = events(
  { type: "turn_started" },
  { type: "answer_committed", node: "q.size" },
  { type: "edge_taken", edge: "big", source: "q.size", target: "sub" },
  { type: "node_entered", node: "inner" },
  { type: "edge_taken", edge: "inner->__exit__", source: "inner", target: "__exit__" },
  { type: "jumped", source: "sub", target: "sorry" },
);
const flow = flowOf({
  nodes: ["q.size", "sub", "sorry"].map((id) => ({
    id,
    ...(id === "sub" ? { type: "subgraph", ref: "$active_path" } : {}),
  })),
  edges: [
    { from: "q.size", to: "sub", guard: "a" },
    { from: "q.size", to: "sub", id: "big" },
    { from: "q.size", to: "sub", guard: "else" },
  ],
  paths: { one: { ref: "s.other" }, two: { ref: "s.inner" } },
  subgraphs: {
    "s.other": { nodes: [{ id: "other" }] },
    "s.inner": { nodes: [{ id: "inner" }], edges: [{ from: "inner", to: "__exit__" }] },
  },
});

test("a turn has a walk, whole or up to an event", () => {
  const walk = walkOf(turn);
  expect([...walk.nodes]).toEqual(["q.size", "sub", "inner", "sorry"]);
  expect(walk.active).toBe("sorry");
  expect(walkOf(turn, 2)).toMatchObject({ active: "q.size", steps: [] });
});

test("the way on the canvas has the edges that were taken of several, and jumps of its own", () => {
  const way = wayIn(flow, walkOf(turn));
  expect([...way.edges]).toEqual([":big#2", "s.inner:inner->__exit__"]);
  expect(way.jumps).toEqual([{ from: "sub", to: "sorry" }]);
  const second = events({ type: "edge_taken", edge: "q.size->sub#2", source: "q.size", target: "sub" });
  expect(wayIn(flow, walkOf(second)).edges).toEqual(new Set([":q.size->sub#3"]));
});

test("the way leaves out what the flow does not have, and has the subgraph nodes around its nodes", () => {
  const way = wayIn(
    flow,
    walkOf(
      events(
        { type: "node_entered", node: "gone" },
        { type: "edge_taken", edge: "gone->inner", source: "gone", target: "inner" },
      ),
    ),
  );
  expect(way).toEqual({ nodes: new Set(["inner", "sub"]), edges: new Set(), jumps: [], active: "inner", failed: "" });
  expect(wayOfNodes(flow, ["q.size", "sub", "inner"]).edges.size).toBe(3);
});

test("the subgraph of the way is open, and what a person opened stays", () => {
  expect([...openedOn(flow, walkOf(turn), new Map())]).toEqual([["sub", "s.inner"]]);
  const before = new Map([["sub", "s.other"]]);
  expect(openedOn(flow, walkOf(turn, 3), before)).toBe(before);
  const both = { nodes: new Set(["inner", "other"]), active: "inner" };
  expect([...openedOn(flow, both, before)]).toEqual([["sub", "s.inner"]]);
});
