// Why a conversation does not pass, as one sentence: the first of its mismatches, or why it could not be run.

import type { TestResult } from "../api";

const UNKNOWN = ["unknown_node", "unknown_answer", "unknown_path", "unknown_channel"];
const OF_MODEL = ["unexpected_model_call", "rule_left_over", "reply_left_over", "stub_left_over", "no_stub"];

/** The words of the user, the expectation after them, and the result. */
interface Difference {
  said: string;
  expected: string;
  got: string;
}

export type Why =
  | ({ word: "testNode" | "testReply" } & Difference)
  | ({ word: "testValue"; name: string } & Difference)
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
  if (!first.turn) return { word: "testEarly" };
  // Another node is the cause of what else differs in the turn.
  const ofTurn = mismatches.filter((each) => each.turn === first.turn);
  const differs = ofTurn.find((each) => each.part === "node") ?? ofTurn.find((each) => each.part !== "");
  if (!differs) return { word: "testOther", turn: first.turn };
  const { part, expected, got } = differs;
  // A conversation that the agent begins has this instead of words of the user.
  const said = first.turn === 1 && differs.said === "start" ? "" : differs.said;
  if (part === "node") return { word: "testNode", said, expected, got };
  if (part === "reply") return { word: "testReply", said, expected, got };
  const [, name] = /^(?:answer|channel) (.+)$/.exec(part) ?? [];
  return name === undefined
    ? { word: "testOther", turn: first.turn }
    : { word: "testValue", name, said, expected, got };
}
