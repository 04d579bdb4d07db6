import { expect, test } from "vitest";
import type { RunEvent } from "../../api";
import { type Live, after, begun } from "./live";

const heard = (...events: RunEvent[]): Live => events.reduce(after, begun(null));

test("pieces become a text, which what is said in the end replaces", () => {
  const pieces: RunEvent[] = [
    { type: "saying", node: "answer", text: "void", afresh: false },
    { type: "saying", node: "answer", text: "The ", afresh: true },
    { type: "saying", node: "answer", text: "beam", afresh: false },
  ];
  expect(heard(...pieces).writing).toBe("The beam");
  const said = heard(...pieces, { type: "said", node: "answer", text: "The beam was lost." });
  expect(said).toMatchObject({ writing: "", said: ["The beam was lost."], ending: null });
});

test("a run that was begun elsewhere tells what was said to it", () => {
  expect(heard({ type: "turn_started", turn: 2, message: "Ann" }).message).toBe("Ann");
});

test.each<[RunEvent, Partial<Live>]>([
  [
    { type: "turn_ended", error: { code: "x", message: "Why", hint: "Do" } },
    { problem: { code: "x", detail: "Why", hint: "Do" } },
  ],
  [
    { type: "run_failed", code: "gone", detail: "It is gone.", hint: "" },
    { problem: { code: "gone", detail: "It is gone.", hint: "" } },
  ],
  [{ type: "run_cancelled" }, { problem: null }],
])("%j ends it", (event, expected) => {
  expect(heard(event)).toMatchObject({ ...expected, ending: event.type });
});
