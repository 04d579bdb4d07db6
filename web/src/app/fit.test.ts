import { expect, test } from "vitest";
import { fit } from "./fit";

test("the start of a word is better than its middle, and both are better than scattered letters", () => {
  const found = ["Highlight it", "Lighting sales", "Let it go, Hugh"].map((title) => fit("ligh", title));
  expect(found[1]).toBeGreaterThan(found[0] ?? 0);
  expect(found[0]).toBeGreaterThan(found[2] ?? 0);
});

test("initials find a title, and two scattered letters do not", () => {
  expect(fit("nc", "New conversation")).toBeGreaterThan(0);
  expect(fit("rnm", "Rename")).toBeGreaterThan(0);
  expect(fit("li", "Clear the filters")).toBe(-1);
});
