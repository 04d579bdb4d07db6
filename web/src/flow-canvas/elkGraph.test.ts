import Elk from "elkjs/lib/elk.bundled.js";
import { expect, test } from "vitest";
import { elkGraph } from "./elkGraph";
import { flowOf } from "./flow";
import type { JumpName } from "./jumps";

const NAMED: Record<JumpName, string> = new Proxy({} as Record<JumpName, string>, { get: (_, name) => String(name) });

test("a chain of nodes is straight, also beside a branch and an edge to itself", async () => {
  const flow = flowOf({
    nodes: ["order", "amount", "sure", "pay", "paid", "kept"].map((id) => ({ id, type: "question" })),
    edges: [
      { from: "order", to: "amount" },
      { from: "amount", to: "sure" },
      { from: "sure", to: "pay", guard: "answers.sure == true" },
      { from: "sure", to: "kept", guard: "answers.sure == false" },
      { from: "sure", to: "sure", guard: "else", label: "corrected" },
      { from: "pay", to: "paid" },
    ],
  });
  const { edges } = await new Elk().layout(elkGraph(flow, new Map(), NAMED, (text) => 6 * text.length).root);
  const bends = (key: string) => edges?.find(({ id }) => id === key)?.sections?.[0]?.bendPoints ?? [];
  expect([":order->amount", ":amount->sure", ":pay->paid"].flatMap(bends)).toEqual([]);
}, 30_000);
