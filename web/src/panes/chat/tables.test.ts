import { expect, test } from "vitest";
import { withTables } from "./tables";

test("columns of plain text become a table, numbers at the right", () => {
  expect(withTables("Prices:\n\nsize     price\nlarge     3.76\nvery big  2.95\n\nDone.")).toBe(
    "Prices:\n\n\n| size | price |\n| --- | ---: |\n| large | 3.76 |\n| very big | 2.95 |\n\n\nDone.",
  );
});

test("a first column of numbers stands at the right of its own", () => {
  expect(withTables("index  station\n    2  Hill\n   10  Airport")).toBe(
    "\n| index | station |\n| ---: | --- |\n| 2 | Hill |\n| 10 | Airport |\n",
  );
});

test.each([
  "A sentence.  Another one.",
  "```\na  b\nc  d\n```",
  "- a  b\n- c  d",
  "| a  | b |\n|---|---|\n| 1  | 2 |",
  "    a  b\n    c  d",
])("%j stays", (text) => {
  expect(withTables(text)).toBe(text);
});
