import { expect, test } from "vitest";
import { lineChanges } from "./lineChanges";

test("lines are counted as often as they stand in a text", () => {
  expect(lineChanges("a\nb\nc", "c\na\nd\nd")).toEqual({ added: 2, removed: 1 });
  expect(lineChanges("a", "a")).toEqual({ added: 0, removed: 0 });
});
