import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addNode,
  blank,
  connect,
  copy,
  freeId,
  moveNodes,
  paste,
  reconnect,
  removeEdges,
  removeNodes,
  renameNode,
  renameSubgraph,
  setField,
  tidy,
} from "./commands";
import { callees, type Flow, KINDS, positionOf } from "../../../flow-canvas/flow";
import { at, ofPointer, readFlow } from "./flow";

const FLOW = `version: v1
id: flow.shop
on_escalate: q.size
nodes:
  - {id: q.intent, type: question, key: intent, prompt: "What do you need?"}   # first
  - id: q.size
    type: question
    key: size
    prompt: Which size?
  - {id: send, type: action, run: send, confirm: {by: q.size, over: [offer]}}
  - {id: sg, type: subgraph, ref: sub.a}
  - {id: done, type: terminal}
edges:
  - {from: q.intent, to: q.size, guard: "answers.intent == 'buy'"}
  - {from: q.size, to: send}
  # afterwards
  - {from: send, to: sg}
  - {from: sg, to: done}
subgraphs:
  sub.a:
    entry: a.ask
    nodes:
      - {id: a.ask, type: question, key: a, prompt: A?}
    edges:
      - {from: a.ask, to: __exit__}
`;

const flowOf = (text: string): Flow => readFlow(text) as Flow;
const ends = (text: string): string[] => [...flowOf(text).edges.values()].map((edge) => `${edge.from}>${edge.to}`);

describe("commands", () => {
  it("add a node of every kind, with what it needs", () => {
    for (const kind of KINDS) {
      const node = blank(flowOf(FLOW), kind);
      const flow = flowOf(addNode(FLOW, "", node));
      const added = flow.nodes.get(String(node.id))!;
      expect(added.type).toBe(kind);
      // Where it is, the layout decides until a person moves it.
      expect(positionOf(added.data)).toBeNull();
    }
    const called = flowOf(addNode(FLOW, "", { id: "new", type: "subgraph", ref: "sub.b" }));
    expect(callees(called, called.nodes.get("new")!)).toEqual(["sub.b"]);
    expect(called.graphs.get("sub.b")?.edges).toHaveLength(1);
    const [root] = FLOW.split("subgraphs:");
    expect(addNode(root!, "", { id: "new", type: "subgraph", ref: "sub.b" }).split("subgraphs:")[1]).toBe(`
  sub.b:
    entry: sub.b.ask
    nodes:
      - {id: sub.b.ask, type: question, key: sub_b_ask, prompt: "What would you like to know?"}
    edges:
      - {from: sub.b.ask, to: __exit__}
`);
    expect(() => addNode(FLOW, "", { id: "done", type: "terminal" })).toThrow(/taken/);
  });

  it("remove a node with its edges and what names it", () => {
    const text = removeNodes(FLOW, ["q.size"]);
    expect(ends(text)).toEqual(["send>sg", "sg>done", "a.ask>__exit__"]);
    expect(text).not.toContain("q.size");
    expect(text).toContain("# first");
    expect(text).toContain("# afterwards");
  });

  it("rename a node everywhere", () => {
    const text = renameNode(FLOW, "q.size", "q.width");
    expect(text).toBe(FLOW.replaceAll("q.size", "q.width"));
    expect(() => renameNode(FLOW, "q.size", "done")).toThrow(/already/);
    expect(renameNode(text, "q.width", "q.size")).toBe(FLOW);
    expect(renameSubgraph(FLOW, "sub.a", "sub.b")).toBe(FLOW.replaceAll("sub.a", "sub.b"));
  });

  it("keep the earlier id of a node in which conversations wait", () => {
    const renamed = renameNode(FLOW, "q.size", "q.width", flowOf(FLOW));
    expect(flowOf(renamed).nodes.get("q.width")?.data.was).toBe("q.size");
    const again = renameNode(renamed, "q.width", "q.height", flowOf(FLOW));
    expect(flowOf(again).nodes.get("q.height")?.data.was).toBe("q.size");
    expect(renameNode(again, "q.height", "q.size", flowOf(FLOW))).toBe(FLOW);
    const served = renameNode(again, "q.height", "q.depth", flowOf(again));
    expect(flowOf(served).nodes.get("q.depth")?.data.was).toEqual(["q.size", "q.height"]);
  });

  it("connect, reconnect and disconnect", () => {
    const text = connect(FLOW, "", "q.intent", "done");
    expect(text).toContain("- {from: q.intent, to: done, guard: else}");
    expect(connect(text, "", "q.size", "send")).toBe(text);
    expect(ends(reconnect(FLOW, ":sg->done", "sg", "send"))).toContain("sg>send");
    expect(removeEdges(FLOW, [":q.size->send", ":send->sg"])).toBe(
      FLOW.replace("  - {from: q.size, to: send}\n", "").replace("  - {from: send, to: sg}\n", ""),
    );
  });

  it("move a node and change nothing else, and tidy it up again", () => {
    const moved = moveNodes(FLOW, new Map([["done", { x: 1.2, y: 3 }]]));
    expect(moved).toBe(FLOW.replace("type: terminal}", "type: terminal, ui: {x: 1, y: 3}}"));
    expect(tidy(moved)).toBe(FLOW);
    expect(setField(moved, ["nodes", 4], "ui", undefined)).toBe(FLOW);
  });

  it("copy nodes with the edges between them", () => {
    const { text, ids } = paste(FLOW, "", copy(flowOf(FLOW), ["q.intent", "q.size"]), { x: 0, y: 0 });
    expect(ids).toEqual(["q.intent.2", "q.size.2"]);
    expect(flowOf(text).nodes.get("q.size.2")?.data.key).toBe("size_2");
    expect(ends(text)).toContain("q.intent.2>q.size.2");
  });

  it("find nodes and edges by position and by pointer", () => {
    const flow = flowOf(FLOW);
    expect(at(flow, FLOW.indexOf("Which"))).toBe(flow.nodes.get("q.size"));
    expect(ofPointer(flow, "/subgraphs/sub.a/nodes/0/key")).toBe(flow.nodes.get("a.ask"));
    expect(ofPointer(flow, "/edges/0/guard")?.path).toEqual(["edges", 0]);
    expect(readFlow("nodes: [")).toBeNull();
  });

  it("in any order leave a document that parses and whose edges have both ends", () => {
    const step = fc.record({ kind: fc.nat(5), a: fc.nat(20), b: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let text = FLOW;
        for (const { kind, a, b } of steps) {
          const flow = flowOf(text);
          const ids = [...flow.graphs.get("")!.nodes.map((node) => node.id)];
          const [one, two] = [ids[a % ids.length], ids[b % ids.length]];
          if (one === undefined || two === undefined) break;
          if (kind === 0) text = addNode(text, "", blank(flow, KINDS[b % 4]!));
          else if (kind === 1) text = connect(text, "", one, two);
          else if (kind === 2 && ids.length > 1) text = removeNodes(text, [one]);
          else if (kind === 3) text = renameNode(text, one, freeId(flow, `renamed.${a}`));
          else if (kind === 4) text = moveNodes(text, new Map([[two, { x: a, y: -b }]]));
          else text = paste(text, "", copy(flow, [one, two]), { x: 20, y: 20 }).text;
        }
        const flow = flowOf(text);
        expect(flow).not.toBeNull();
        for (const edge of flow.edges.values()) {
          expect(flow.nodes.has(edge.from)).toBe(true);
          expect(edge.to === "__exit__" || flow.nodes.has(edge.to)).toBe(true);
        }
        expect(text).toContain("# afterwards");
      }),
      { numRuns: 60 },
    );
  });
});
