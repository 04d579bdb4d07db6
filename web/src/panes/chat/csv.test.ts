import { expect, test } from "vitest";
import { csvRows, csvText } from "./csv";

test("quoted cells hold commas, line breaks and quotes", () => {
  expect(csvRows('a,b\r\n"x, ""y""\nz",\n')).toEqual([
    ["a", "b"],
    ['x, "y"\nz', ""],
  ]);
});

test("rows read from a text that was made of them are the same", () => {
  const rows = [
    ["a", 'x, "y"'],
    ["", "two\nlines"],
  ];
  expect(csvRows(csvText(rows))).toEqual(rows);
});
