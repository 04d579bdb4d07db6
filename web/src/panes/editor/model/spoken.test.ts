import { expect, test } from "vitest";
import type { Flow } from "../../../flow-canvas/flow";
import { readFlow } from "./flow";
import { setSpoken, spokenIn } from "./spoken";

const flowOf = (text: string): Flow => readFlow(text) as Flow;
const FLOW = "version: v1\nid: flow.a\nstate: {spoken: {type: integer, default: 1}}\nnodes: []\nedges: []\n";

test("a flow begins in a language, then in another one, then in none of its own", () => {
  const german = setSpoken(FLOW, flowOf(FLOW), "de");
  expect(flowOf(german).data.state).toMatchObject({ spoken: { default: 1 }, spoken_language: { default: "de" } });
  expect(spokenIn(flowOf(german))).toBe("de");
  const french = setSpoken(german, flowOf(german), "fr");
  expect(spokenIn(flowOf(french))).toBe("fr");
  expect(french).toBe(german.replace("default: de", "default: fr"));
  expect(spokenIn(flowOf(setSpoken(french, flowOf(french), "")))).toBe("");
});
