import { describe, expect, it, vi } from "vitest";
import type { Event, JsonObject, TraceRow } from "../../api";
import { readable } from "../../app/readable";
import { lineOf } from "./lines";
import { marked, votesOf } from "./marks";
import { shownOf, typed, visitsOf } from "./trace";
import { words } from "./words";

// The texts depend on the browser's language.
vi.hoisted(() => {
  vi.stubGlobal("navigator", { language: "en", languages: ["en"], userAgent: "" });
  vi.stubGlobal("localStorage", { getItem: () => null });
});

const rows = (...events: (JsonObject & { type: string })[]): TraceRow[] =>
  events.map((event, seq) => ({ seq, visit: 0, time: "2026-01-01T00:00:00Z", event: event as unknown as Event }));

const turn = rows(
  { type: "turn_started", turn: 2, message: "large" },
  { type: "answer_committed", node: "q.size", key: "led.size", value: "large", quote: "the large ones" },
  { type: "moved", position: {}, mode: "waiting", visit: 1 },
  { type: "edge_taken", edge: "e1", source: "q.size", target: "act" },
  { type: "node_entered", node: "act", kind: "action" },
  {
    type: "model_called",
    node: "act",
    model: "scripted:/tmp/x.yaml",
    input_tokens: 20,
    output_tokens: 5,
    seconds: 1.5,
    answer: { text: "hi" },
  },
  { type: "edge_taken", edge: "e2", source: "act", target: "__exit__" },
);

const told = (row: TraceRow) => lineOf(row, { say: words.en, money: (amount) => `$${amount}`, nameOf: readable });

describe("the trace of a turn", () => {
  it("is grouped by node, without saved states", () => {
    expect(visitsOf(shownOf(turn)).map((each) => [each.node, each.rows.map((row) => row.seq)])).toEqual([
      ["q.size", [0, 1, 3]],
      ["act", [4, 5, 6]],
    ]);
  });

  it("says each event in one line", () => {
    expect(told(turn[1]!)).toMatchObject({ kind: "answer", title: "led.size = large", detail: "“the large ones”" });
    const [guard] = rows({ type: "guard_checked", guard: "a == 1", opened: false, saw: { a: "2" }, missing: ["b"] });
    const because = ["answers.room"];
    const [dropped, stale] = rows(
      { type: "answer_dropped", node: "q.n", key: "people", reason: "validate", value: 10, because },
      { type: "channels_stale", node: "send", channels: ["ticket"], because },
    );
    expect(told(dropped!)).toMatchObject({
      title: "people = 10",
      detail: "it is no longer valid · dropped, to be asked again · changed: answers.room",
    });
    expect(told(stale!)).toMatchObject({ kind: "wrote", title: "ticket" });
    const why = "a = “2” · not answered yet: b";
    expect(told(guard!)).toEqual({ kind: "guard", title: "a == 1", detail: why, tone: "neutral" });
    expect(told({ ...turn[5]!, cost: 0.5 })).toMatchObject({
      title: "hi",
      detail: "scripted:x.yaml · 20 tokens in, 5 out · 1.5 s · $0.5",
    });
    expect(told(rows({ type: "answers_cleared" })[0]!).title).toBe("all answers are forgotten");
  });

  it("lists an action once, and says how large values are", () => {
    const [started, finished, wrote] = rows(
      { type: "action_started", node: "act", run: "plan", visit: 1, attempt: 1 },
      { type: "action_finished", node: "act", run: "plan", visit: 1, attempt: 1, seconds: 1 },
      { type: "channels_written", node: "act", values: { a: 1, b: [{}, {}], c: {}, d: "", e: 2 } },
    );
    expect(shownOf([started!, finished!]).map((row) => row.event.type)).toEqual(["action_finished"]);
    expect(shownOf([started!])).toHaveLength(1);
    expect(told(wrote!).title).toBe("a, b, c and 2 more");
    const [guard] = rows({
      type: "guard_checked",
      guard: "g",
      opened: true,
      saw: { goal: { a: 1, b: [], c: 2, d: 3 } },
    });
    expect(told(guard!).detail).toBe("goal = 3 fields");
  });

  it("has the votes for all paths, the most first", () => {
    const [vote] = rows({ type: "path_voted", path: "b", votes: { a: 0.5, b: 1 }, threshold: 2 });
    expect(votesOf(vote!)).toEqual({
      paths: [
        ["b", 1],
        ["a", 0.5],
      ],
      threshold: 2,
    });
  });
});

it("marks the words that answers came from", () => {
  expect(marked("the large ones, 20", ["20", "large", "none"]).map((each) => [each.text, each.quoted])).toEqual([
    ["the ", false],
    ["large", true],
    [" ones, ", false],
    ["20", true],
  ]);
});

it("reads a changed answer as JSON, or as text", () => {
  expect([typed("12"), typed("true"), typed("a few")]).toEqual([12, true, "a few"]);
});
