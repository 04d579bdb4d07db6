// Why a conversation does not pass, as one sentence: the first of its mismatches, or why it could not be run.

import type { TestResult } from "../api";

const UNKNOWN = ["unknown_node", "unknown_answer", "unknown_path", "unknown_channel"];
const OF_MODEL = ["unexpected_model_call", "rule_left_over", "reply_left_over", "stub_left_over", "no_stub"];

export type Why =
  | { word: "testOther"; turn: number }
  | { word: "testUnknown" | "testEarly" | "testGolden" | "testSlow" | "testModel" | "testUnread" };

export function whyFailed({ error, mismatches = [] }: TestResult): Why {
  const [first] = mismatches;
  const code = error?.code ?? first?.code ?? "";
  if (UNKNOWN.includes(code)) return { word: "testUnknown" };
  if (OF_MODEL.includes(code)) return { word: "testModel" };
  if (code === "trace_differs") return { word: "testGolden" };
  if (code === "time_limit") return { word: "testSlow" };
  if (!first) return { word: "testUnread" };
  return first.turn ? { word: "testOther", turn: first.turn } : { word: "testEarly" };
}
