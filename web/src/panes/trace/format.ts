// Values of events on one line.

import type { Json } from "../../api";
import { spoken } from "../../app/language";
import { isObject } from "../../values";
import { valueWords } from "./words";

export const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
export const number = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
export const names = (value: Json | undefined): string => (Array.isArray(value) ? value.join(", ") : "");
export const together = (...parts: string[]): string => parts.filter(Boolean).join(" · ");

const LONGEST = 160;
const MOST_NAMES = 4;

/** A value on one line: lists and objects by their size, unless they are small. */
export function short(value: Json | undefined): string {
  if (value === undefined) return "";
  const say = spoken(valueWords);
  if (Array.isArray(value)) {
    const isFlat = value.every((each) => typeof each !== "object" || each === null);
    return isFlat && value.length <= MOST_NAMES ? value.map(short).join(", ") || say.empty : say.items(value.length);
  }
  if (isObject(value)) {
    const fields = Object.entries(value).filter(([, each]) => each !== null && each !== "" && !isEmpty(each));
    if (fields.length === 0) return say.empty;
    const isFlat = fields.every(([, each]) => typeof each !== "object");
    return isFlat && fields.length <= 2
      ? fields.map(([name, each]) => `${name}: ${short(each)}`).join(", ")
      : say.fields(fields.length);
  }
  const whole = typeof value === "string" ? value : value === null ? say.nothing : String(value);
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1)}…` : whole;
}

const isEmpty = (value: Json): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

export const pairs = (value: Json | undefined): string =>
  isObject(value)
    ? Object.entries(value)
        .map(([name, each]) => `${name} = ${typeof each === "string" ? `“${short(each)}”` : short(each)}`)
        .join(", ")
    : "";

/** Names for a line, the first ones of many. */
export const named = (all: readonly string[]): string =>
  all.length <= MOST_NAMES
    ? all.join(", ")
    : spoken(valueWords).andMore(all.slice(0, MOST_NAMES - 1).join(", "), all.length - MOST_NAMES + 1);

/** The answer of a model: the tools that it called, or its text. */
export function answerOf(value: Json | undefined): string {
  if (!isObject(value)) return short(value);
  const { call } = value;
  const calls = Array.isArray(call) ? call : call === undefined ? [] : [call];
  const called = calls.flatMap((each) =>
    isObject(each) ? (typeof each.name === "string" ? [each.name] : Object.keys(each)) : [],
  );
  return called.length > 0 ? called.join(", ") : short(value.text ?? value.raw ?? value.fail ?? value);
}
