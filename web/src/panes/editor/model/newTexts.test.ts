import { expect, test } from "vitest";
import { flowOf } from "../../../flow-canvas/flow";
import { blank } from "./commands";
import { newTexts } from "./newTexts";

test("new nodes speak the language of the flow, and that of the app if the flow names none", () => {
  expect(blank(flowOf({}), "terminal", newTexts("de-AT", "en")).say).toBe("Vielen Dank.");
  expect(newTexts("fr", "de").confirm).toBe("Est-ce correct ?");
  expect(newTexts("", "de").end).toBe("Vielen Dank.");
  expect(newTexts("nl", "en").end).toBe("Thank you.");
});
