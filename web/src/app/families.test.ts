import { expect, test } from "vitest";
import { oneEach } from "./families";

const of = (thread: string, source?: string) => ({
  thread,
  branch_of: source ? { thread: source, at: 1, turn: 2 } : null,
});

test("a conversation is listed once, by its first listed version", () => {
  const listed = [of("c", "b"), of("x"), of("b", "a"), of("e", "d"), of("a"), of("f", "d")];
  expect(oneEach(listed).map((each) => each.thread)).toEqual(["c", "x", "e"]);
});
