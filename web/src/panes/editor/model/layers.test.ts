import { describe, expect, it } from "vitest";
import { type Flow, type FlowEdge, flowOf } from "../../../flow-canvas/flow";
import { readFlow } from "./flow";
import {
  decide,
  documentPart,
  inherited,
  override,
  removeLayered,
  removeLayeredEdges,
  withdraw,
  withNodes,
} from "./layers";

const OWN = `extends: base.yaml # below
nodes:
  - {id: q.a, prompt: "Here?"}
`;
const SHOWN: Flow = flowOf({
  nodes: [
    { id: "q.a", type: "question", key: "a", prompt: "Here?" },
    { id: "q.b", type: "question", key: "b", prompt: "There?" },
  ],
  edges: [{ from: "q.a", to: "q.b", guard: "x" }],
  subgraphs: { s: { nodes: [{ id: "in", type: "terminal" }], edges: [] } },
});
const node = (id: string) => SHOWN.nodes.get(id)!;
const edge = SHOWN.edges.get(":q.a->q.b")!;
const data = (text: string) => (readFlow(text) as Flow).data;

describe("a document that extends others", () => {
  it("overrides a field of a lower layer, and takes it back without a trace", () => {
    const text = override(OWN, node("q.b"), "prompt", "Where?", true);
    expect(data(text).nodes).toEqual([
      { id: "q.a", prompt: "Here?" },
      { id: "q.b", prompt: "Where?" },
    ]);
    expect(withdraw(text, node("q.b"), "prompt")).toBe(OWN);
    expect(data(withdraw(OWN, node("q.a"), "prompt"))).toEqual({ extends: "base.yaml", nodes: [] });
  });

  it("decides a field for the value of one layer", () => {
    const below = { file: "base.yaml", value: "There?" };
    const own = { file: "flow.yaml", value: "Here?" };
    const field = { field: "prompt", error: false, winner: "own", settings: [below, own] };
    // The value below holds as soon as the draft says nothing; of values that are joined the chosen one replaces the others.
    expect(data(decide(OWN, node("q.a"), field, below)).nodes).toEqual([]);
    expect(data(decide(OWN, node("q.a"), { ...field, winner: "" }, below)).nodes).toEqual([
      { id: "q.a", prompt: "There?", strategies: { prompt: "override" } },
    ]);
    const title = {
      field: "title",
      error: false,
      winner: "pack",
      settings: [{ file: "base.yaml", value: "Base" }, below],
    };
    expect(data(decide(OWN, documentPart(SHOWN), title, title.settings[0]!)).title).toBe("Base");
  });

  it("removes a field, a node and an edge of a lower layer by name", () => {
    expect(data(override(OWN, node("q.a"), "key", undefined, true)).nodes).toEqual([
      { id: "q.a", prompt: "Here?", remove: ["key"] },
    ]);
    const below = new Set(["q.a", "q.b", edge.key]);
    expect(data(removeLayered(OWN, SHOWN, ["q.a"], below)).nodes).toEqual([{ id: "q.a", remove: true }]);
    expect(data(removeLayeredEdges(OWN, SHOWN, [edge.key], below)).edges).toEqual([
      { from: "q.a", to: "q.b", guard: "x", remove: true },
    ]);
  });

  it("replaces an edge without an id when its guard changes", () => {
    expect(data(override(OWN, edge, "guard", "y", true)).edges).toEqual([
      { from: "q.a", to: "q.b", guard: "x", remove: true },
      { from: "q.a", to: "q.b", guard: "y" },
    ]);
  });

  it("sets a field of an edge with an id in the record that has this id", () => {
    const named: FlowEdge = { ...edge, data: { ...edge.data, id: "e" } };
    const text = override(OWN, named, "to", "q.c", true);
    expect(data(text).edges).toEqual([{ id: "e", to: "q.c" }]);
    expect(data(override(text, named, "label", "on", true)).edges).toEqual([{ id: "e", to: "q.c", label: "on" }]);
  });

  it("names nodes of subgraphs that only a lower layer has", () => {
    expect(data(withNodes(OWN, SHOWN, ["in"])).subgraphs).toEqual({ s: { nodes: [{ id: "in" }] } });
  });

  it("knows what comes from below", () => {
    const at = (file: string) => ({ layer: "", file, line: 1, column: 1 });
    const origins = {
      "/nodes/0/prompt": at("flow.yaml"),
      "/nodes/0/key": at("base.yaml"),
      "/nodes/1": at("base.yaml"),
    };
    const { below, whole } = inherited(SHOWN, readFlow(OWN) as Flow, origins);
    expect([...below]).toEqual(["q.a", "q.b"]);
    expect(whole.has("q.a")).toBe(false);
    expect(whole.has("q.b")).toBe(true);
  });
});
