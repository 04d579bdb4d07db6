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
      row(2, 3, {
        ...{ type: "model_called", node: "act", model: "scripted:/tmp/x.yaml", seconds: 1.5 },
        answer: { call: { ToolDecision: { tools: [] } } },
      }),
      row(3, 4, { type: "tool_called", node: "act", tool: "look", ok: false, seconds: 0.5 }),
      row(4, 5, { type: "action_finished", node: "act", run: "plan" }),
      row(5, 6, { type: "prompted", node: "q" }),
    ],
    "2026-01-01T00:00:00.000Z",
  );
  expect(seconds).toBe(6);
  expect(bars.map((each) => [each.kind, each.name, each.from, each.seconds, each.failed])).toEqual([
    ["action", "plan", 1, 4, false],
    ["model", "Tool decision", 1.5, 1.5, false],
    ["tool", "look", 3.5, 0.5, true],
  ]);
});

test("calls stand below their action, also where they seem to begin before it or at the same time", () => {
  const { bars } = timelineOf(
    [
      row(0, 0, { type: "turn_started" }),
      row(1, 1, { type: "action_started", node: "plan", run: "plan" }),
      row(2, 2, { type: "model_called", node: "plan", model: "m", seconds: 1, answer: { text: "Yes." } }),
      row(3, 2, { type: "action_finished", node: "plan", run: "plan" }),
      row(4, 2, { type: "action_started", node: "call", run: "call" }),
      row(5, 4, { type: "tool_called", node: "call", tool: "second", ok: true, seconds: 2 }),
      row(6, 4, { type: "tool_called", node: "call", tool: "first", ok: true, seconds: 2.001 }),
      row(7, 4, { type: "action_finished", node: "call", run: "call" }),
    ],
    "2026-01-01T00:00:00.000Z",
  );
  expect(bars.map((each) => [each.name, each.inside])).toEqual([
    ["plan", false],
    ["", true],
    ["call", false],
    ["first", true],
    ["second", true],
  ]);
});

test("a scale has few round marks", () => {
  expect(ticksOf(0.477)).toEqual([0, 0.2, 0.4]);
  expect(ticksOf(7)).toEqual([0, 2, 4, 6]);
  expect(ticksOf(0)).toEqual([]);
});
