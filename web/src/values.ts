// What a value of JSON is, and how a number is written for people.

import type { Json, JsonObject } from "./api";

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A number without the noise that its binary form has: 3.76, where 3.7600000000000002 was written. */
export const plainNumber = (value: number): string =>
  String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));

const DECIMAL = /^[+-]?\d*\.\d+(?:e[+-]?\d+)?$/i;

/** A cell of a file: a decimal number with more digits than a computer holds exactly is rounded, all else stays. */
export const plainCell = (cell: string): string =>
  cell.length > 16 && DECIMAL.test(cell) ? plainNumber(Number(cell)) : cell;
