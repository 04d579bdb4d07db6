import { expect, test } from "vitest";
import { checked, checkedPicks, picksOf } from "./checking";

test.each([
  ["3,5", { type: "number" }, { value: 3.5, complaint: null }],
  ["1e3", { type: ["null", "integer"] }, { value: 1000, complaint: null }],
  ["1,500", { type: "number" }, { complaint: { kind: "not_number" } }],
  ["0x10", { type: "number" }, { complaint: { kind: "not_number" } }],
  ["3.5", { type: "integer" }, { complaint: { kind: "not_whole" } }],
  ["9007199254740993", { type: "integer" }, { complaint: { kind: "too_large", limit: 2 ** 53 - 1 } }],
  ["", { type: "number" }, { complaint: { kind: "not_number" } }],
  ["31", { type: "integer", maximum: 30 }, { complaint: { kind: "too_large", limit: 30 } }],
  ["0", { type: "integer", exclusiveMinimum: 0 }, { complaint: { kind: "not_above", limit: 0 } }],
  ["0.7", { type: "number", multipleOf: 0.1 }, { value: 0.7, complaint: null }],
  ["10001.12", { type: "number", multipleOf: 0.01 }, { value: 10001.12, complaint: null }],
  ["4.025", { type: "number", multipleOf: 0.01 }, { complaint: { kind: "no_multiple", limit: 0.01 } }],
  ["7", { type: "integer", multipleOf: 2 }, { complaint: { kind: "no_multiple", limit: 2 } }],
  [" ab ", { type: "string", minLength: 3 }, { complaint: { kind: "too_short", limit: 3 } }],
  ["😀😀", { type: "string", maxLength: 2 }, { value: "😀😀", complaint: null }],
  ["a-1", { type: "string", pattern: "^\\d" }, { complaint: { kind: "not_like" } }],
  ["x", { type: "string", pattern: "(?<bad" }, { value: "x", complaint: null }],
  ["ann@home", { type: "string", format: "email" }, { complaint: { kind: "not_email" } }],
  ["+49 (0)30 12-34", { type: "string", format: "phone" }, { value: "+49 (0)30 12-34", complaint: null }],
  ["call me", { type: "string", format: "phone" }, { complaint: { kind: "not_phone" } }],
])("%j against %j", (text, schema, expected) => {
  expect(checked(text, schema)).toEqual(expected);
});

test("a list is picked from what its items may be", () => {
  const plain = { type: "array", items: { enum: ["a", 2] }, minItems: 1 };
  expect(picksOf(plain).map((each) => each.title)).toEqual(["a", "2"]);
  expect(picksOf({ type: "array", items: { oneOf: [{ const: 1, title: "One" }] } })).toEqual([
    { value: 1, title: "One" },
  ]);
  expect(picksOf({ type: "array", items: { type: "string" } })).toEqual([]);
  expect(checkedPicks([], plain)).toEqual({ complaint: { kind: "too_few", limit: 1 } });
  expect(checkedPicks(["a"], plain)).toEqual({ value: ["a"], complaint: null });
});
