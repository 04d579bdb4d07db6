import { expect, test, vi } from "vitest";
import { noteText, typeText } from "./reading";

// The language is stored in the browser's storage.
vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => "de" });
  vi.stubGlobal("navigator", { language: "de", languages: ["de"] });
});

const sources = import.meta.glob<string>("../../../../packages/graphwright-files/src/graphwright_files/**/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});
const codes = Object.values(sources).flatMap((source) =>
  [...source.matchAll(/\bnote(?:_on_columns)?\(\s*"([a-z_]+)"/g)].map((found) => found[1] ?? ""),
);

test("every note that the service makes on a file has German words", () => {
  expect(codes.length).toBeGreaterThan(15);
  for (const code of codes) expect(noteText({ code, text: "English", facts: {} }), code).not.toBe("English");
});

test("a note says its names and numbers, and one that is not known its English words", () => {
  expect(noteText({ code: "decimal_commas", text: "", facts: { columns: ["a", "b"], more: 3 } })).toContain(
    "„a“, „b“, …",
  );
  expect(noteText({ code: "columns_left_out", text: "", facts: { there: 12_000, read: 10_000 } })).toContain("12.000");
  expect(noteText({ code: "made_up", text: "Its own words.", facts: {} })).toBe("Its own words.");
  expect(["integer", "made_up"].map(typeText)).toEqual(["ganze Zahl", "made_up"]);
});
