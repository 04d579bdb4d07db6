import { expect, test } from "vitest";
import type { Message } from "../../api";
import { turnsOf } from "./turns";

test("the answer after approvals has the steps of the turns that asked for them", () => {
  const said = (turn: number, decision?: string) =>
    ({ turn, role: "assistant", approval: decision ? { decision } : null }) as unknown as Message;
  const turns = turnsOf([said(0), said(1, "approved"), said(2, "rejected"), said(3), said(4, "replaced"), said(5)]);
  expect(turns.map((each) => each.steps)).toEqual([[], [1], [1, 2], [1, 2, 3], [4], [5]]);
});
