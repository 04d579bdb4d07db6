import { expect, test } from "vitest";
import { checked } from "./checking";

test.each([
  ["3,5", { type: "number" }, { value: 3.5, complaint: null }],
  ["3.5", { type: "integer" }, { complaint: { kind: "not_whole" } }],
  ["", { type: "number" }, { complaint: { kind: "not_number" } }],
  ["31", { type: "integer", maximum: 30 }, { complaint: { kind: "too_large", limit: 30 } }],
  [" ab ", { type: "string", minLength: 3 }, { complaint: { kind: "too_short", limit: 3 } }],
  ["a-1", { type: "string", pattern: "^\\d" }, { complaint: { kind: "not_like" } }],
  ["x", { type: "string", pattern: "(?<bad" }, { value: "x", complaint: null }],
])("%j against %j", (text, schema, expected) => {
  expect(checked(text, schema)).toEqual(expected);
});
