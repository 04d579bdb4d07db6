import { expect, test } from "vitest";
import { withoutSingleNumbers } from "./numbers";

test("a date at the beginning of a line is no list, and a list stays one", () => {
  expect(withoutSingleNumbers("24. Dezember\noder 26.")).toBe("24\\. Dezember\noder 26.");
  expect(withoutSingleNumbers("1. eins\n2. zwei")).toBe("1. eins\n2. zwei");
});
