// The texts of the app, in English and German. They are written in pairs next to the component that uses them.

import { createSetting, useStore } from "./store";

type Phrase = string | ((...values: never[]) => string);
type Pair = readonly [en: Phrase, de: Phrase];
type Spoken<T extends Record<string, Pair>> = { [K in keyof T]: T[K][0] extends string ? string : T[K][0] };

export type Text<T extends Record<string, Pair>> = { en: Spoken<T>; de: Spoken<T> };

const initial = navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
export const language = createSetting("language", ["en", "de"] as const, initial);

/** Texts by name, each `[English, German]`; one with values in it is a function: `[(n: number) => ..., ...]`. */
export function texts<const T extends Record<string, Pair>>(pairs: T): Text<T> {
  const pick = (index: 0 | 1) =>
    Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, pair[index]])) as Spoken<T>;
  return { en: pick(0), de: pick(1) };
}

/** The texts in the user's language. */
export function useText<T extends Record<string, Pair>>(text: Text<T>): Spoken<T> {
  return text[useStore(language)];
}

/** The same outside of components. */
export const spoken = <T extends Record<string, Pair>>(text: Text<T>): Spoken<T> => text[language.get()];

/** The locale of dates and numbers: the browser's locale for this language. */
const locale = (): string =>
  navigator.languages.find((each) => each.toLowerCase().startsWith(language.get())) ?? language.get();

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const formats = new Map<string, Intl.RelativeTimeFormat>();

/** A time relative to now: "3 minutes ago", or the date if that is long ago. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const where = locale();
  if (Math.abs(seconds) > 6 * 86_400) return new Date(time).toLocaleDateString(where);
  const format = formats.get(where) ?? new Intl.RelativeTimeFormat(where, { numeric: "auto", style: "short" });
  formats.set(where, format);
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  return format.format(0, "second");
}

export const clock = (time: string): string => new Date(time).toLocaleString(locale());

/** The time of day, with or without seconds; after the day and month unless it is today. */
export function clockToday(time: string, withSeconds = true): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  const second = withSeconds ? ({ second: "2-digit" } as const) : {};
  const clockText = date.toLocaleTimeString(locale(), {
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    ...second,
  });
  return isToday ? clockText : `${shortDay(time)} ${clockText}`;
}

/** A day without its year: "30 Nov". */
export const shortDay = (time: string): string =>
  new Date(time).toLocaleDateString(locale(), { day: "numeric", month: "short" });

export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  const power = Math.min(3, bytes > 0 ? Math.floor(Math.log10(bytes) / 3) : 0);
  return `${(bytes / 1000 ** power).toLocaleString(locale(), { maximumFractionDigits: 1 })} ${units[power]}`;
}

export const numberText = (value: number, digits = 0): string =>
  value.toLocaleString(locale(), { maximumFractionDigits: digits });

/** The sign before the decimals of a number. */
export const decimalSign = (): string => numberText(0.5, 1).charAt(1);

/** A number with all its digits and without separators of thousands, as a value of data. */
export const exactText = (value: number): string =>
  value.toLocaleString(locale(), { useGrouping: false, maximumSignificantDigits: 15 });

/** A part of a whole in per cent: "52 %". */
export const percentText = (part: number, whole: number): string =>
  (whole > 0 ? part / whole : 0).toLocaleString(locale(), { style: "percent" });

/** A day: "30 Nov 2026". */
export const dayText = (time: string): string => new Date(time).toLocaleDateString(locale(), { dateStyle: "medium" });

/** A duration in seconds, the same everywhere. */
export const secondsText = (seconds: number): string =>
  seconds < 0.01 ? `< ${numberText(0.01, 2)}` : fixedText(seconds, seconds < 0.995 ? 2 : seconds < 9.95 ? 1 : 0);

const fixedText = (value: number, digits: number): string =>
  value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A list of names for a sentence. */
export const listText = (names: string[], kind: "and" | "or"): string =>
  new Intl.ListFormat(locale(), { type: kind === "and" ? "conjunction" : "disjunction" }).format(names);

/** An amount of money, with enough digits for small ones. */
export const moneyText = (amount: number, currency: string): string =>
  amount.toLocaleString(locale(), {
    style: "currency",
    currency,
    ...(amount < 1 ? { minimumSignificantDigits: 2, maximumSignificantDigits: 2 } : {}),
  });
