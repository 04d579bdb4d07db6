import { expect, test } from "vitest";
import type { Branch } from "../../api";
import { versionsOf } from "./branches";

const branch = (thread: string, source: string, turn: number, turns: number): Branch => ({
  ...{ thread, source, turn, turns },
  ...{ title: "", created: "", updated: "" },
});

test("a branch and its source are versions of the turn at which it begins", () => {
  // root: 1 2 3;  b: 1 2' 3';  c (of b, at 2): 1 2'';  d (of b, at 3): 1 2' 3''; again: 1'
  const family = [
    ...[branch("root", "", 0, 3), branch("b", "root", 2, 3), branch("c", "b", 2, 2), branch("d", "b", 3, 3)],
    branch("again", "root", 1, 1),
  ];
  expect(versionsOf("root", 1, family)).toEqual({ threads: ["root", "again"], at: 0 });
  expect(versionsOf("d", 1, family)).toEqual({ threads: ["root", "again"], at: 0 });
  expect(versionsOf("again", 1, family)).toEqual({ threads: ["root", "again"], at: 1 });
  for (const [thread, at] of [
    ["root", 0],
    ["b", 1],
    ["d", 1],
    ["c", 2],
  ] as const)
    expect(versionsOf(thread, 2, family)).toEqual({ threads: ["root", "b", "c"], at });
  expect(versionsOf("root", 3, family)).toBeNull();
  expect(versionsOf("d", 3, family)).toEqual({ threads: ["b", "d"], at: 1 });
});

test("the first turn of an open branch is a version while it is in progress", () => {
  const family = [branch("root", "", 0, 1), branch("b", "root", 1, 0)];
  expect(versionsOf("b", 1, family)).toEqual({ threads: ["root", "b"], at: 1 });
  expect(versionsOf("root", 1, family)).toBeNull();
});

test("a deleted source leaves its branches versions of each other", () => {
  const family = [branch("b", "gone", 2, 2), branch("c", "gone", 2, 2)];
  expect(versionsOf("c", 2, family)).toEqual({ threads: ["b", "c"], at: 1 });
  expect(versionsOf("c", 1, family)).toBeNull();
});
