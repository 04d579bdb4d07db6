// The types of JSON values, and the readable form of numbers.

import type { Json, JsonObject } from "./api";

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A number without binary rounding errors: 3.76 instead of 3.7600000000000002. */
export const plainNumber = (value: number): string =>
  String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));

const DECIMAL = /^[+-]?\d*\.\d+(?:e[+-]?\d+)?$/i;

/** A cell of a file: a decimal number with more digits than a float holds is rounded, others are not changed. */
export const plainCell = (cell: string): string =>
  cell.length > 16 && DECIMAL.test(cell) ? plainNumber(Number(cell)) : cell;
