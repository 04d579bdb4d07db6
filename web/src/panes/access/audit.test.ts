import { expect, test } from "vitest";
import type { AuditEntry } from "../../api";
import { rowsOf } from "./audit";

const entry = (number: number, event: AuditEntry["event"], content: string): AuditEntry =>
  ({ number, event, content, thread: "t", run: `r${number}` }) as AuditEntry;

test("an action has one row, with its decision and its outcome", () => {
  const entries = [
    entry(5, "performed", "b"),
    entry(4, "rejected", "c"),
    entry(3, "approved", "b"),
    entry(2, "failed", "a"),
    entry(1, "approved", "a"),
    entry(0, "performed", "decided before this page"),
  ];
  const refused = [entry(7, "superseded", ""), entry(6, "rejected", "")].map((each) => ({ ...each, run: "r" }));
  entries.unshift(...refused);
  expect(rowsOf(entries).map((row) => [row.decision.number, row.outcome?.number])).toEqual([
    [6, 7],
    [3, 5],
    [4, undefined],
    [1, 2],
    [0, undefined],
  ]);
});
