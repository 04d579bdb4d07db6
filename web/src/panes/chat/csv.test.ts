import { expect, test } from "vitest";
import { csvRows } from "./csv";

test("quoted cells hold commas, line breaks and quotes", () => {
  expect(csvRows('a,b\r\n"x, ""y""\nz",\n')).toEqual([
    ["a", "b"],
    ['x, "y"\nz', ""],
  ]);
});
