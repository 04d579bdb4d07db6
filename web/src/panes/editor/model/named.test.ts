import { expect, test } from "vitest";
import { named } from "./named";

test.each([
  [
    "Den genannten Knoten gibt es nicht.",
    "An edge leads to `dome`.",
    "",
    "Den genannten Knoten gibt es nicht: `dome`.",
  ],
  [
    "Von diesem Knoten geht es nicht weiter.",
    "No edge leaves `q.1`.",
    "q.1",
    "Von diesem Knoten geht es nicht weiter.",
  ],
  ["Die Aktion hat kein `confirm`.", "`send` has no `confirm`.", "", "Die Aktion hat kein `confirm`: `send`."],
  ["", "There is no answer `name`.", "", ""],
])("%s", (sentence, message, place, expected) => {
  expect(named(sentence, message, place)).toBe(expected);
});
