import { expect, test, vi } from "vitest";
import type { RunEvent } from "../../api";
import { stepsOf, summaryOf } from "./steps";

// The texts depend on the browser's language.
vi.hoisted(() => vi.stubGlobal("navigator", { language: "en", languages: ["en"] }));

test("a tool is shown with the arguments that the model proposed and the result that was written", () => {
  const steps = stepsOf([
    {
      type: "model_called",
      node: "plan",
      model: "m",
      offered: ["StepPlan"],
      input_tokens: 10,
      output_tokens: 5,
      seconds: 0.5,
      answer: { call: { StepPlan: { tools: [{ tool_name: "find", arguments: { key: "T-1" } }] } } },
    },
    { type: "tool_called", node: "call", tool: "find", arguments: ["key"], ok: true, seconds: 0.1 },
    { type: "channels_written", node: "call", values: { results: [{ call: { tool_name: "find" }, rows: 3 }] } },
    { type: "tool_called", node: "call", tool: "other", arguments: ["x"], ok: false, seconds: 0, error: "No." },
  ] as unknown as RunEvent[]);
  expect(steps.slice(1)).toMatchObject([
    { kind: "tool", tool: "find", given: { key: "T-1" }, result: { rows: 3 }, error: "" },
    { kind: "tool", tool: "other", given: ["x"], result: null, error: "No." },
  ] as unknown as RunEvent[]);
  expect(summaryOf(steps)).toEqual({ calls: 1, tools: 2, tokens: 15 });
});
