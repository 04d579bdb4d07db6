import { expect, test } from "vitest";
import { parse } from "yaml";
import { changedData, changedPart, type PartChange } from "./parts";
import type { Json } from "./yamlEdit";

const TEXT = `# A form.
nodes:
  - id: q  # the first
    schema: {description: a size, enum: [s, m]} # sizes
    with:
      to: x # whom
      value: {a: 1}
`;

const CHANGES: PartChange[] = [
  { set: ["schema", "enum", 1], to: "l" },
  { set: ["schema", "enum", 0], to: undefined },
  { add: ["schema", "enum"], item: "l" },
  { rename: ["schema", "enum"], name: "oneOf", to: [{ const: "s", title: "Small" }] },
  { set: ["with", "value", "b"], to: "{{ answers.b }}" },
  { set: ["with", "to"], to: undefined },
  { set: ["confirm", "when"], to: "a > 1" },
];

test("a change of a part leaves comments and the other values, and gives the same data with and without a text", () => {
  for (const change of CHANGES) {
    const text = changedPart(TEXT, ["nodes", 0], change);
    for (const comment of ["# A form.", "# the first", "# sizes"]) expect(text).toContain(comment);
    const [node] = (parse(TEXT) as { nodes: Json[] }).nodes;
    expect((parse(text) as { nodes: Json[] }).nodes[0]).toEqual(changedData(node, change));
  }
});
