import { describe, expect, it } from "vitest";
import type { JsonObject, TraceRow } from "../../api";
import { lineOf, sumOf, typed, visitsOf, wayOf } from "./trace";

const rows = (...events: (JsonObject & { type: string })[]): TraceRow[] =>
  events.map((event, seq) => ({ seq, visit: 0, time: "2026-01-01T00:00:00Z", event }));

const turn = rows(
  { type: "turn_started", turn: 2, message: "large" },
  { type: "answer_committed", node: "q.size", key: "led.size", value: "large", quote: "the large ones" },
  { type: "state_saved", state: {} },
  { type: "edge_taken", edge: "e1", source: "q.size", target: "act" },
  { type: "node_entered", node: "act", kind: "action" },
  { type: "model_called", node: "act", input_tokens: 20, output_tokens: 5, seconds: 1.5, answer: { text: "hi" } },
  { type: "edge_taken", edge: "e2", source: "act", target: "__exit__" },
);

describe("the trace of a turn", () => {
  it("is grouped by node, without checkpoints", () => {
    expect(visitsOf(turn).map((each) => [each.node, each.rows.map((row) => row.seq)])).toEqual([
      ["q.size", [0, 1, 3]],
      ["act", [4, 5, 6]],
    ]);
  });

  it("has a way, whole or up to an event", () => {
    const way = wayOf(turn);
    expect([...way.nodes]).toEqual(["q.size", "act"]);
    expect([...way.edges]).toEqual(["q.size → act", "act → exit"]);
    expect(way.active).toBe("act");
    expect(wayOf(turn, 2)).toMatchObject({ active: "q.size", edges: new Set() });
  });

  it("counts what its models took", () => {
    expect(sumOf(turn)).toEqual({ calls: 1, tokens: 25, seconds: 1.5 });
  });

  it("says each event in one line", () => {
    expect(lineOf(turn[1]!)).toMatchObject({ kind: "answer", title: "led.size = large", detail: "“the large ones”" });
    const [guard] = rows({ type: "guard_checked", guard: "a == 1", opened: false, saw: { a: 2 }, missing: ["b"] });
    expect(lineOf(guard!)).toEqual({ kind: "guard", title: "a == 1", detail: "a = 2 · ? b", tone: "neutral" });
    expect(lineOf(turn[5]!).detail).toBe("20 + 5 tokens · 1.50 s");
  });
});

it("reads a changed answer as JSON, or as text", () => {
  expect([typed("12"), typed("true"), typed("a few")]).toEqual([12, true, "a few"]);
});
