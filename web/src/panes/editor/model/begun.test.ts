import { expect, test } from "vitest";
import { inGerman } from "./begun";
import { readFlow } from "./flow";
import { spokenIn } from "./spoken";

const [TEMPLATE] = Object.values(
  import.meta.glob<string>("../../../../../packages/graphwright/src/graphwright/authoring/templates/empty/flow.yaml", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);

test("the empty template is German for a German author", () => {
  const text = inGerman(TEMPLATE!.replace("@ID@", "flow.a").replace("@TITLE@", "A"));
  expect(spokenIn(readFlow(text)!)).toBe("de");
  expect(text).toContain("Was kann ich für Sie tun?");
  expect(text).toContain("Nimmt eine Nachricht");
  expect(text).not.toContain("Thank you");
});
