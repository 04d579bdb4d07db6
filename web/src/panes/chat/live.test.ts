import { expect, test } from "vitest";
import type { JsonObject, RunEvent } from "../../api";
import { type Live, after, begun, textsAfterFailure } from "./live";

/** An event with only the fields that matter. */
type Told = Pick<RunEvent, "type"> & JsonObject;

const heard = (...events: Told[]): Live => (events as unknown as RunEvent[]).reduce(after, begun(null));

test("pieces become a text, which what is said in the end replaces", () => {
  const pieces: Told[] = [
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

test.each<[Told, Partial<Live>]>([
  [
    { type: "turn_ended", error: { code: "x", message: "Why", hint: "Do" } },
    { problem: { code: "x", detail: "Why", hint: "Do" } },
  ],
  [
    { type: "run_failed", problem: { code: "gone", detail: "It is gone.", hint: "" } },
    { problem: { code: "gone", detail: "It is gone.", hint: "" } },
  ],
  [{ type: "run_cancelled" }, { problem: null }],
])("%j ends it", (event, expected) => {
  expect(heard(event)).toMatchObject({ ...expected, ending: event.type });
});

test("the question that still waits is told after the failure of a turn", () => {
  const failed: Told = { type: "turn_failed", node: "a", code: "internal", message: "No.", hint: "" };
  const events = (...told: Told[]) => told as unknown as RunEvent[];
  const said: Told = { type: "said", node: "a", text: "I look." };
  expect(textsAfterFailure(events(said, failed, { type: "prompted", node: "q", text: "How many?" }))).toBe(1);
  expect(textsAfterFailure(events(said, failed, { type: "prompted", node: "a", text: "" }))).toBe(0);
  expect(textsAfterFailure(events(said))).toBe(0);
});
