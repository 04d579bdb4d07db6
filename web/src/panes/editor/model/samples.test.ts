import { describe, expect, it } from "vitest";
import { type Flow, flowOf } from "../../../flow-canvas/flow";
import { pathTo, sampleOfSchema, samplesFor } from "./samples";

const FLOW: Flow = flowOf({
  nodes: [
    { id: "q.size", type: "question", key: "size", schema: { enum: ["S", "M"] } },
    { id: "q.n", type: "question", key: "n", schema: { type: "integer", minimum: 3 } },
    { id: "sub", type: "subgraph", ref: "s" },
    { id: "end", type: "terminal" },
    { id: "alone", type: "terminal" },
  ],
  edges: [
    { from: "q.size", to: "end", guard: "answers.size == 'S'" },
    { from: "q.size", to: "q.n", guard: "answers.size == 'M' && answers.ok == true" },
    { from: "q.n", to: "sub" },
  ],
  subgraphs: {
    s: {
      nodes: [
        { id: "q.sure", type: "question", key: "sure", read: "confirm" },
        { id: "in", type: "terminal" },
      ],
      edges: [{ from: "q.sure", to: "in", guard: "answers.sure == false" }],
    },
  },
});

describe("sample answers", () => {
  it("open the guards of the shortest way, also into a subgraph", () => {
    expect(pathTo(FLOW, "in")?.map((edge) => edge.to)).toEqual(["q.n", "sub", "in"]);
    expect(samplesFor(FLOW, "in")).toEqual({ size: "M", ok: true, n: 3, sure: false });
    expect(samplesFor(FLOW, "end")).toEqual({ size: "S", n: 3, sure: true });
  });

  it("are only those of the questions if no way leads to the node", () => {
    expect(pathTo(FLOW, "alone")).toBe(null);
    expect(samplesFor(FLOW, "alone")).toEqual({ size: "S", n: 3, sure: true });
  });

  it.each([
    [{ type: "integer", exclusiveMinimum: 3, multipleOf: 5 }, 5],
    [{ type: "number", maximum: 0.5 }, 0.5],
    [{ type: "string", format: "email" }, "ann@example.com"],
    [{ type: "string", maxLength: 3 }, "sam"],
    [{ oneOf: [{ const: "a" }, { const: "b" }] }, "a"],
    [{ type: "array", items: { enum: ["x", "y"] } }, ["x"]],
    [{ type: "object", properties: { n: { type: "integer" } } }, { n: 1 }],
  ])("have a value of the schema %j", (schema, value) => {
    expect(sampleOfSchema(schema)).toEqual(value);
  });

  it("name a day to come for a date", () => {
    expect(String(sampleOfSchema({ type: "string", format: "date" })) > new Date().toISOString().slice(0, 10)).toBe(
      true,
    );
  });
});
