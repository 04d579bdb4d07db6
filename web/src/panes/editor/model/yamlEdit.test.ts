import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { append, type Json, parsed, type Path, deleteIn, renameKey, same, setIn } from "./yamlEdit";

const FLOW = `# The flow of a shop.
version: v1
id: flow.shop   # never change it
nodes:
  # asks first
  - {id: q.intent, type: question, key: intent, prompt: "What do you need?"}
  - id: q.size
    type: question
    key: size
    prompt: |
      Which size?
      In metres.
    ui: {x: 1, y: 2}   # placed by hand

  - {id: done, type: terminal}
edges:
  - {from: q.intent, to: q.size, guard: "answers.intent == 'buy'"}  # the main way
  - {from: q.intent, to: done, guard: else}
subgraphs:
  sub.a:
    nodes: []
    edges:
`;

const data = (text: string): Json => parsed(text).toJS() as Json;

const files = import.meta.glob<string>(
  ["../../../../../packages/**/flow.yaml", "../../../../../examples/**/flow.yaml"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);
const SHIPPED = Object.entries(files).flatMap(([name, text]) => (/\/templates?\//.test(name) ? [] : [text]));

describe("edits of the text", () => {
  it("change one line and nothing else", () => {
    const moved = setIn(FLOW, ["nodes", 1, "ui"], { x: 10, y: 20 });
    expect(moved).toBe(FLOW.replace("ui: {x: 1, y: 2}", "ui: {x: 10, y: 20}"));
    const placed = setIn(FLOW, ["nodes", 0, "ui"], { x: 10, y: 20 });
    expect(placed).toBe(FLOW.replace('need?"}', 'need?", ui: {x: 10, y: 20}}'));
    const guarded = setIn(FLOW, ["edges", 0, "guard"], "answers.intent == 'sell'");
    expect(guarded).toBe(FLOW.replace("== 'buy'", "== 'sell'"));
    const labelled = setIn(FLOW, ["nodes", 1, "label"], "Size");
    expect(labelled).toBe(FLOW.replace("   # placed by hand\n", "   # placed by hand\n    label: Size\n"));
  });

  it("add and remove items and keys", () => {
    const added = append(FLOW, ["nodes"], { id: "x", type: "terminal" });
    expect(added).toBe(
      FLOW.replace("  - {id: done, type: terminal}\n", "  - {id: done, type: terminal}\n  - {id: x, type: terminal}\n"),
    );
    expect(deleteIn(added, ["nodes", 3])).toBe(FLOW);
    const last = "edges:\n  # the only one\n  - {from: a, to: b}  # it\nui: {}\n";
    expect(deleteIn(last, ["edges", 0])).toBe("edges: []\n  # the only one\nui: {}\n");
    const unended = "edges:\n  - {from: a, to: b}";
    expect(deleteIn(append(unended, ["edges"], { from: "b", to: "a" }), ["edges", 1])).toBe(unended);
    expect(deleteIn(FLOW, ["edges", 0])).toBe(FLOW.replace(/ {2}- \{from: q.intent, to: q.size.*\n/, ""));
    expect(deleteIn(FLOW, ["nodes", 1, "id"])).toBe(FLOW.replace("- id: q.size\n    type", "- type"));
    const inner = append(append(FLOW, ["subgraphs", "sub.a", "nodes"], { id: "y" }), ["subgraphs", "sub.a", "edges"], {
      from: "y",
      to: "__exit__",
    });
    expect(inner).toBe(
      FLOW.replace(
        "    nodes: []\n    edges:\n",
        "    nodes:\n      - {id: y}\n    edges:\n      - {from: y, to: __exit__}\n",
      ),
    );
    expect(renameKey(FLOW, ["subgraphs", "sub.a"], "sub.b")).toBe(FLOW.replace("sub.a", "sub.b"));
  });

  it("keep multi-line prompts readable and JSON valid", () => {
    const prompt = setIn(FLOW, ["nodes", 1, "prompt"], "One\nTwo\n");
    expect(prompt).toBe(FLOW.replace("Which size?\n      In metres.", "One\n      Two"));
    const json = JSON.stringify({ nodes: [{ id: "a" }], edges: [] }, null, 2);
    const edited = append(setIn(json, ["nodes", 0, "prompt"], "A: b"), ["edges"], { from: "a", to: "a" });
    expect(JSON.parse(edited)).toEqual({ nodes: [{ id: "a", prompt: "A: b" }], edges: [{ from: "a", to: "a" }] });
  });

  it("refuse a text that does not parse", () => {
    expect(() => setIn("a: [1", ["a"], 2)).toThrow();
  });

  it("refuse a value that an alias shares", () => {
    const shared = "a: &one {x: 1}\nb: *one\n";
    expect(() => setIn(shared, ["b", "x"], 2)).toThrow(/alias/);
    expect(() => deleteIn(shared, ["a"])).toThrow(/anchor/);
    expect(setIn(shared, ["c"], 3)).toBe(`${shared}c: 3\n`);
  });
});

const paths = (value: Json, path: Path = []): Path[] => {
  if (value === null || typeof value !== "object") return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => paths(item, [...path, index]))
    : Object.entries(value).flatMap(([name, item]) => paths(item, [...path, name]));
  return [path, ...inner];
};

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom("yes", "null", "1e3", "a: b", "# x", "- y", "a\nb", "a\n", "'", '"', ""),
);
const values = fc.oneof(
  texts,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.dictionary(fc.constantFrom("x", "y"), texts),
);

const inside = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], value);

/** How many lines of the first text an edit replaced. */
function linesTouched(before: string, after: string): number {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let [head, tail] = [0, 0];
  while (head < a.length && a[head] === b[head]) head += 1;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return a.length - head - tail;
}

const RUNS = 40;

describe("any edit", { timeout: 60_000 }, () => {
  const sources = [FLOW, ...SHIPPED.filter((text) => text.length < 20_000 && !/: &/.test(text))];
  const anywhere = fc
    .constantFrom(...sources)
    .chain((text) =>
      fc.constantFrom(...paths(data(text)).filter((path) => path.length > 0)).map((path) => ({ text, path })),
    );

  it("of a single value gives the data that it says, and touches only its lines", () => {
    fc.assert(
      fc.property(anywhere, values, ({ text, path }, value) => {
        const old = inside(data(text), path);
        if (old !== null && typeof old === "object") return;
        const after = setIn(text, path, value);
        expect(same(inside(data(after), path) as Json, value)).toBe(true);
        const range = (parsed(text).getIn(path, true) as { range: [number, number] }).range;
        const lines = text.slice(range[0], range[1]).split("\n").length;
        expect(linesTouched(text, after)).toBeLessThanOrEqual(lines + 1);
        expect(same(data(setIn(after, path, old as Json)), data(text))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("that removes or adds leaves the rest as it was", () => {
    fc.assert(
      fc.property(anywhere, values, ({ text, path }, value) => {
        const old = inside(data(text), path);
        if (Array.isArray(old)) {
          const longer = append(text, path, value);
          expect(inside(data(longer), path)).toEqual([...(old as Json[]), value]);
          expect(linesTouched(text, longer)).toBeLessThanOrEqual(1);
          expect(same(data(deleteIn(longer, [...path, old.length])), data(text))).toBe(true);
        }
        const gone = deleteIn(text, path);
        expect(parsed(gone).errors).toEqual([]);
        const [parent, name] = [inside(data(gone), path.slice(0, -1)), path.at(-1)];
        if (!Array.isArray(parent)) expect(name! in (parent as object)).toBe(false);
        else expect(parent.length).toBe((inside(data(text), path.slice(0, -1)) as Json[]).length - 1);
      }),
      { numRuns: RUNS },
    );
  });
});
