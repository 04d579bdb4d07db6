import { expect, test } from "vitest";
import {
  addConstraint,
  groupsIn,
  promised,
  removeConstraint,
  removeEntry,
  setChannelType,
  unlessIn,
} from "./flowParts";

const FLOW = `# A flow
state:
  # what was ordered
  size: {type: integer, default: 3}  # cups
constraints:
  - {one_of: [[email]], message: How do we reach you?} # or a letter
nodes:
  - {id: done, type: terminal}
edges: []
`;

test("a default of another type goes with the type, and comments stay", () => {
  expect(setChannelType(FLOW, "size", "number")).toBe(FLOW.replace("type: integer", "type: number"));
  expect(setChannelType(FLOW, "size", "string")).toBe(FLOW.replace("type: integer, default: 3", "type: string"));
});

test("the last entry goes with its list", () => {
  expect(removeEntry(FLOW, ["state", "size"])).not.toContain("state");
  expect(removeEntry(FLOW, ["constraints", 0])).not.toContain("constraints");
});

test("a constraint has a condition of its own, which goes with it unless something else reads it", () => {
  const added = addConstraint(FLOW);
  expect(added).toMatch(/- \{ ?require: condition_1 ?\}|- require: condition_1/);
  expect(added).toContain("condition_1: ");
  expect(removeConstraint(added, 1).trim()).toBe(FLOW.trim());
  const read = added.replace("edges: []", "edges: [{from: done, to: done, guard: condition_1}]");
  expect(removeConstraint(read, 1)).toContain("predicates");
});

test("groups, exceptions and kinds are read from what is written", () => {
  expect(groupsIn("email\n\nphone, name,")).toEqual([["email"], ["phone", "name"]]);
  expect([unlessIn(""), unlessIn("q.sure"), unlessIn("q.sure\nanswers.n < 3")]).toEqual([
    undefined,
    "q.sure",
    ["q.sure", "answers.n < 3"],
  ]);
  expect(promised({ never: "pay", unless: "q.sure" }, "always_before", ["pay", "done"])).toEqual({
    always_before: "pay",
    comes: "done",
  });
});
