import { expect, test } from "vitest";
import { plainCell, plainNumber } from "./values";

test("decimal numbers lose the noise of their binary form, and nothing else changes", () => {
  expect([3.7600000000000002, 0.1 + 0.2, 1 / 3, -2.5, 9007199254740991].map(plainNumber)).toEqual([
    "3.76",
    "0.3",
    "0.333333333333333",
    "-2.5",
    "9007199254740991",
  ]);
  expect(["3.7600000000000002", "-0.30000000000000004", "1.2000000000000002e-05"].map(plainCell)).toEqual([
    "3.76",
    "-0.3",
    "0.000012",
  ]);
  for (const cell of ["3.50", "12345678901234567890", "2026-01-01 10:00:00.123456789", "192.168.100.200.300", "", "x"])
    expect(plainCell(cell)).toBe(cell);
});
