import { expect, test } from "vitest";
import type { TestResult } from "../api";
import { whyFailed } from "./whyFailed";

type Mismatch = NonNullable<TestResult["mismatches"]>[number];

const mismatch = (turn: number, part: string, expected: string, got: string, said = "tea"): Mismatch => ({
  turn,
  line: 1,
  code: "expectation",
  message: "",
  diff: [],
  part,
  expected,
  got,
  said,
});

const failed = (...mismatches: Mismatch[]): TestResult => ({ file: "a", status: "failed", mismatches });

test("the node of the first turn that differs comes before its reply", () => {
  const why = whyFailed(failed(mismatch(2, "reply", "a", "b"), mismatch(2, "node", "q.sure", "q.size")));
  expect(why).toEqual({ word: "testNode", said: "tea", expected: "q.sure", got: "q.size" });
});

test("a reply, an answer and other parts have their own sentences", () => {
  expect(whyFailed(failed(mismatch(1, "reply", "a", "b", "start")))).toMatchObject({ word: "testReply", said: "" });
  expect(whyFailed(failed(mismatch(2, "answer size", "1", "2")))).toMatchObject({ word: "testValue", name: "size" });
  expect(whyFailed(failed(mismatch(2, "path", "[]", "[1]")))).toEqual({ word: "testOther", turn: 2 });
});
