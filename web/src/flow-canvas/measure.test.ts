import { expect, test } from "vitest";
import { linesOf } from "./measure";

test.each([
  ["", 0],
  ["one two", 1],
  [`${"a".repeat(60)} ${"b".repeat(60)}`, 1],
  [`${"a".repeat(60)} ${"b".repeat(60)} ${"c".repeat(90)}`, 2],
  ["a".repeat(200), 2],
])("%s takes %i lines", (text, lines) => expect(linesOf(text, (word) => 1.5 * word.length)).toBe(lines));
