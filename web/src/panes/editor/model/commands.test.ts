import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addNode,
  addNodeAt,
  blank,
  connect,
  copy,
  duplicate,
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
    // The chain stays whole.
    expect(ends(text)).toEqual(["q.intent>send", "send>sg", "sg>done", "a.ask>__exit__"]);
    expect(text).toContain("to: send, guard: \"answers.intent == 'buy'\"");
    expect(text).not.toContain("q.size");
    expect(text).toContain("# first");
    expect(text).toContain("# afterwards");
  });

  it("keep the entry where the first node of a chain is removed", () => {
    const text = FLOW.replace(/^.*q.intent.*to: q.size.*\n/m, "  - {from: q.intent, to: done}\n");
    const flow = flowOf(removeNodes(text, ["q.intent"]));
    expect(flow.graphs.get("")?.entry).toBe("done");
    expect(flowOf(removeNodes(FLOW, ["a.ask"])).data.subgraphs).toBeDefined();
  });

  it("add a node between two others, after the last, and as another end", () => {
    const question = { id: "new", type: "question", key: "new", prompt: "?" };
    for (const spot of [{ after: "q.size" }, { in: ":q.size->send" }])
      expect(ends(addNodeAt(FLOW, spot, question))).toEqual([
        "q.intent>q.size",
        "q.size>new",
        "send>sg",
        "sg>done",
        "new>send",
        "a.ask>__exit__",
      ]);
    // An edge with a guard is not the only way on.
    expect(addNodeAt(FLOW, { after: "q.intent" }, question)).toContain("{from: q.intent, to: new, guard: else}");
    expect(ends(addNodeAt(FLOW, { in: ":q.intent->q.size" }, question)).slice(0, 1)).toEqual(["q.intent>new"]);
    const end = { id: "bye", type: "terminal" };
    expect(ends(addNodeAt(FLOW, { after: "send" }, end))).toEqual(ends(FLOW));
    expect(ends(addNodeAt(FLOW, { after: "q.intent" }, end))).toContain("q.intent>bye");
    const asked = FLOW.replace("key: size", "key: size\n    read: confirm");
    expect(ends(addNodeAt(asked, { after: "q.size" }, end))).toContain("q.size>bye");
    expect(ends(addNodeAt(FLOW, { after: "done" }, question))).toEqual(ends(FLOW));
  });

  it("give the edges of a yes or no a guard each", () => {
    const text = FLOW.replace("key: size", "key: size\n    read: confirm");
    const split = connect(text, "", "q.size", "done");
    expect(split).toContain("- {from: q.size, to: send, guard: answers.size == true}");
    expect(split).toContain("- {from: q.size, to: done, guard: else}");
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

  it("duplicate a node after itself", () => {
    const { text, ids } = duplicate(FLOW, "q.size");
    expect(ids).toEqual(["q.size.2"]);
    expect(flowOf(text).nodes.get("q.size.2")?.data).toMatchObject({ key: "size_2", prompt: "Which size?" });
    expect(ends(text)).toEqual(expect.arrayContaining(["q.size>q.size.2", "q.size.2>send"]));
    expect(ends(duplicate(FLOW, "done").text)).toEqual(ends(FLOW));
  });

  it("find nodes and edges by position and by pointer", () => {
    const flow = flowOf(FLOW);
    expect(at(flow, FLOW.indexOf("Which"))).toBe(flow.nodes.get("q.size"));
    expect(ofPointer(flow, "/subgraphs/sub.a/nodes/0/key")).toBe(flow.nodes.get("a.ask"));
    expect(ofPointer(flow, "/edges/0/guard")?.path).toEqual(["edges", 0]);
    expect(readFlow("nodes: [")).toBeNull();
  });

  it("in any order leave a document that parses and whose edges have both ends", () => {
    const step = fc.record({ kind: fc.nat(6), a: fc.nat(20), b: fc.nat(20) });
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
          else if (kind === 5) text = addNodeAt(text, { after: one }, blank(flow, KINDS[b % 5]!));
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
