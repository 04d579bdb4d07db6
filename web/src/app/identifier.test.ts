import { expect, test } from "vitest";
import { identifierOf } from "./identifier";

test.each([
  ["Tisch für zwei", "Tisch_fuer_zwei"],
  [" Café (Paris) ", "Cafe_Paris"],
  ["green-tea_2", "green-tea_2"],
  ["???", ""],
])("%j is called %j", (text, name) => expect(identifierOf(text)).toBe(name));
