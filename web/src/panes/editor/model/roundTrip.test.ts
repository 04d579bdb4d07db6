// Every flow document of the repository: one node is moved, and the text differs in that alone.

import { describe, expect, it } from "vitest";
import { fields, positionOf } from "../../../flow-canvas/flow";
import { moveNodes } from "./commands";
import { readFlow } from "./flow";
import { setIn } from "./yamlEdit";

const found = import.meta.glob<string>(
  [
    "../../../../../packages/*/src/**/*.{yaml,json}",
    "../../../../../examples/**/*.{yaml,json}",
    "../../../../../tests/data/**/*.{yaml,json}",
    "!**/static/**",
    "!**/node_modules/**",
  ],
  { query: "?raw", import: "default" },
);

const isFlow = (text: string): boolean =>
  /^[\s{]*"?(nodes|extends)"?:/m.test(text) && (readFlow(text)?.nodes.size ?? 0) > 0;

/** What is inserted into a text: its other text is the same. Null if something else changed as well. */
function inserted(before: string, after: string): string | null {
  const longer = after.length - before.length;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  return before.slice(start) === after.slice(start + longer) ? after.slice(start, start + longer) : null;
}

const TO = { x: 12_345, y: -67 };
const MOST = 6; // nodes of a document that are moved, each alone

const documents: [string, string][] = [];
for (const [file, read] of Object.entries(found)) {
  // A template gets the id and the title of the new agent.
  const text = (await read()).replaceAll("@ID@", "flow.new").replaceAll("@TITLE@", '"New"');
  if (isFlow(text)) documents.push([file.replaceAll("../", ""), text]);
}

describe("a node that is moved", () => {
  it("is looked for in all kinds of documents", () => {
    const names = documents.map(([name]) => name).join("\n");
    for (const each of ["/intake/flow.yaml", "/templates/booking/", "layers/pack.yaml", "lights.v1.json", "sales.v1"])
      expect(names).toContain(each);
    expect(documents.length).toBeGreaterThan(25);
  });

  it.each(documents)("changes nothing else in %s", { timeout: 60_000 }, (_, text) => {
    const nodes = [...readFlow(text)!.nodes.values()];
    const some = nodes.filter((_, index) => index % Math.ceil(nodes.length / MOST) === 0);
    for (const { id, path, data } of some) {
      const moved = moveNodes(text, new Map([[id, TO]]));
      expect(positionOf(readFlow(moved)!.nodes.get(id)!.data), id).toEqual(TO);
      const old = positionOf(data);
      if (old === null) expect(inserted(text, moved), id).toMatch(/^[^{}]*\{?x: 12345, y: -67\}?\s*$|"y": ?-67/);
      else {
        const place = [...path, "ui", ...("position" in fields(data.ui) ? ["position"] : [])];
        expect(setIn(setIn(moved, [...place, "x"], old.x), [...place, "y"], old.y), id).toBe(text);
      }
    }
  });
});
