import { expect, test } from "vitest";
import { visible } from "./visible";

test("a sign that turns writing around is shown, and letters of any language stay", () => {
  expect(visible("a\u202e000,1\u202c b")).toBe("a[U+202E]000,1[U+202C] b");
  expect(visible("שלום, 👩‍👩‍👧 and é")).toBe("שלום, 👩‍👩‍👧 and é");
});
