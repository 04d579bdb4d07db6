import { expect, test } from "vitest";
import type { TraceRow } from "../../api";
import { ticksOf, timelineOf } from "./timeline";

const row = (seq: number, second: number, event: object): TraceRow =>
  ({ seq, visit: 0, time: `2026-01-01T00:00:0${second}.000Z`, event }) as TraceRow;

test("bars begin when the call began, and end with its event", () => {
  const { bars, seconds } = timelineOf(
    [
      row(0, 0, { type: "turn_started" }),
      row(1, 1, { type: "action_started", node: "act", run: "plan" }),
      row(2, 3, { type: "model_called", node: "act", model: "scripted:/tmp/x.yaml", seconds: 1.5 }),
      row(3, 4, { type: "tool_called", node: "act", tool: "look", ok: false, seconds: 0.5 }),
      row(4, 5, { type: "action_finished", node: "act", run: "plan" }),
      row(5, 6, { type: "prompted", node: "q" }),
    ],
    "2026-01-01T00:00:00.000Z",
  );
  expect(seconds).toBe(6);
  expect(bars.map((each) => [each.kind, each.name, each.from, each.seconds, each.failed])).toEqual([
    ["action", "plan", 1, 4, false],
    ["model", "scripted:x.yaml", 1.5, 1.5, false],
    ["tool", "look", 3.5, 0.5, true],
  ]);
});

test("a scale has few round marks", () => {
  expect(ticksOf(0.477)).toEqual([0, 0.2, 0.4]);
  expect(ticksOf(7)).toEqual([0, 2, 4, 6]);
  expect(ticksOf(0)).toEqual([]);
});
