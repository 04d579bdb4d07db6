import { expect, test } from "vitest";
import { flowOf } from "../../../flow-canvas/flow";
import { answersAfter, comparing, guardOf, textOf } from "./guard";

const flow = flowOf({
  state: { count: { type: "integer" } },
  nodes: [
    { id: "q.room", type: "question", key: "room", schema: { oneOf: [{ const: "s", title: "Small" }] } },
    { id: "q.sure", type: "question", key: "sure", read: "confirm" },
    { id: "q.weight", type: "question", key: "weight", schema: { type: "number" } },
  ],
  edges: [
    { from: "q.sure", to: "q.weight" },
    { from: "q.room", to: "q.sure" },
  ],
});

test("a guard is read as conditions and written as it was", () => {
  for (const guard of [
    "answers.room == 's' && answers.weight > 2.5",
    "has(answers.a) || !has(answers.b) || c.exists(x, x == '&&')",
    "a == 'it\\'s' && (b || c)",
    "a && b || c",
    "a ? b : c",
    "done",
  ])
    expect(textOf(guardOf(guard))).toBe(guard);
  expect(guardOf("has(answers.a) && n <= -3").conditions).toMatchObject([
    { test: "given", name: "answers.a" },
    { test: "<=", name: "n", value: -3 },
  ]);
  expect(guardOf("a && b || c").conditions).toHaveLength(1);
});

test("a text with operators gets brackets beside other conditions", () => {
  const { join, conditions } = guardOf("a ? b : c");
  expect(textOf({ join, conditions: [...conditions, comparing(flow, "answers.sure")] })).toBe(
    "(a ? b : c) && answers.sure == true",
  );
});

test("a comparison has a value of the type of its name", () => {
  expect(comparing(flow, "answers.weight", ">", 2).source).toBe("answers.weight > 2.0");
  expect(comparing(flow, "count", ">=", 2).source).toBe("count >= 2");
  expect(comparing(flow, "answers.room", "<", 2).source).toBe("answers.room == 's'");
  expect(comparing(flow, "unknown", "!=", "it's").source).toBe("unknown != 'it\\'s'");
});

test("the answers of a question are the guards after it", () => {
  const [afterSure, afterRoom] = [...flow.edges.values()];
  expect(afterSure && answersAfter(flow, afterSure).map((each) => each.guard)).toEqual([
    "answers.sure == true",
    "answers.sure == false",
  ]);
  expect(afterRoom && answersAfter(flow, afterRoom)).toEqual([
    { guard: "answers.room == 's'", value: "s", title: "Small" },
  ]);
});
