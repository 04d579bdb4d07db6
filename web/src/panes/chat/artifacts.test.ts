import { expect, test } from "vitest";
import { formatOf, viewsOf } from "./artifacts";

const file = (name: string) => ({ id: name, kind: "", name });

test("a figure is shown in place of its picture, then tables and programs", () => {
  const names = ["a/analysis.py", "a/table.csv", "a/table.parquet", "a/figure-1.png", "a/figure-1.html", "a/other.png"];
  const views = viewsOf(names.map(file)).map(({ kind, file: { name } }) => [kind, name]);
  expect(views).toEqual([
    ["figure", "a/figure-1.html"],
    ["picture", "a/other.png"],
    ["table", "a/table.csv"],
    ["program", "a/analysis.py"],
  ]);
  expect(names.map(formatOf)).toEqual(["PY", "CSV", "PARQUET", "PNG", "HTML", "PNG"]);
});
