// Checks a typed or chosen value against the schema of a question. The service checks again; here the user sees errors
// sooner. Keywords that are not supported here (a format, a pattern of another dialect) pass.

import type { Json, JsonObject, Option } from "../../api";

export type Complaint =
  | { kind: "not_number" | "not_whole" | "not_like" | "not_email" | "not_phone" | "not_date" }
  | {
      kind:
        | "too_small"
        | "too_large"
        | "not_above"
        | "not_below"
        | "no_multiple"
        | "too_short"
        | "too_long"
        | "too_few"
        | "too_many";
      limit: number;
    };

export type Checked = { value?: Json; complaint: Complaint | null };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The type of a value; the first that is not null if there are several. */
export const typeOf = (schema: JsonObject): string => {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return String(types.find((each) => each !== "null") ?? "");
};

const limitOf = (schema: JsonObject, name: string): number | null =>
  typeof schema[name] === "number" ? schema[name] : null;

/** The first limit that a value violates. */
function broken(
  schema: JsonObject,
  limits: [name: string, breaks: (limit: number) => boolean, kind: Complaint["kind"]][],
) {
  for (const [name, breaks, kind] of limits) {
    const limit = limitOf(schema, name);
    if (limit !== null && breaks(limit)) return { kind, limit } as Complaint;
  }
  return null;
}

export function checked(text: string, schema: JsonObject): Checked {
  const type = typeOf(schema);
  return type === "integer" || type === "number"
    ? checkedNumber(text.trim(), schema)
    : checkedText(text.trim(), schema);
}

// A thousands separator may be a decimal sign elsewhere: "1,500" is ambiguous.
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i;
const THOUSANDS = /^[+-]?\d{1,3}(?:,\d{3})+$/;

function checkedNumber(text: string, schema: JsonObject): Checked {
  if (!NUMBER.test(text) || THOUSANDS.test(text)) return { complaint: { kind: "not_number" } };
  const value = Number(text.replace(",", "."));
  if (typeOf(schema) === "integer" && !Number.isInteger(value)) return { complaint: { kind: "not_whole" } };
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return { complaint: { kind: "too_large", limit: Number.MAX_SAFE_INTEGER } };
  const complaint = broken(schema, [
    ["minimum", (limit) => value < limit, "too_small"],
    ["maximum", (limit) => value > limit, "too_large"],
    ["exclusiveMinimum", (limit) => value <= limit, "not_above"],
    ["exclusiveMaximum", (limit) => value >= limit, "not_below"],
    ["multipleOf", (limit) => !isMultiple(value / limit), "no_multiple"],
  ]);
  return complaint ? { complaint } : { value, complaint };
}

// The quotient of two decimals differs from a whole number by the floating-point error, relative to its size.
const isMultiple = (quotient: number) =>
  Math.abs(quotient - Math.round(quotient)) <= Math.max(1, Math.abs(quotient)) * 4 * Number.EPSILON;

const FORMATS: Record<string, [RegExp, Complaint["kind"]]> = {
  email: [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, "not_email"],
  phone: [/^(?=(?:\D*\d){6,15}\D*$)[\d\s+()./-]+$/, "not_phone"],
  date: [/^\d{4}-\d\d-\d\d$/, "not_date"],
};

function checkedText(value: string, schema: JsonObject): Checked {
  const length = [...value].length;
  const complaint = broken(schema, [
    ["minLength", (limit) => length < limit, "too_short"],
    ["maxLength", (limit) => length > limit, "too_long"],
  ]);
  if (complaint) return { complaint };
  const [form, kind] = FORMATS[String(schema.format)] ?? [];
  if (form && kind && !form.test(value)) return { complaint: { kind } as Complaint };
  if (typeof schema.pattern === "string" && !matches(schema.pattern, value)) return { complaint: { kind: "not_like" } };
  return { value, complaint: null };
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // a pattern of another dialect, which the service checks
  }
}

/** The options of a list by its schema; empty if its items are free. */
export function picksOf(schema: JsonObject): Option[] {
  const { items } = schema;
  if (typeOf(schema) !== "array" || !isObject(items)) return [];
  if (Array.isArray(items.enum)) return items.enum.map((value) => ({ value, title: String(value) }));
  const branches = [items.oneOf, items.anyOf].find(Array.isArray) ?? [];
  const known = branches.filter((each): each is JsonObject => isObject(each) && "const" in each);
  return known.length === branches.length
    ? known.map((each) => ({ value: each.const ?? null, title: String(each.title ?? each.const) }))
    : [];
}

export const checkedPicks = (picked: Json[], schema: JsonObject): Checked => {
  const complaint = broken(schema, [
    ["minItems", (limit) => picked.length < limit, "too_few"],
    ["maxItems", (limit) => picked.length > limit, "too_many"],
  ]);
  return complaint ? { complaint } : { value: picked, complaint };
};

const LIMITS = ["minLength", "maxLength", "pattern", "format"];

/** Whether a field is useful: any text can be written into the composer. */
export function wantsForm(schema: JsonObject): boolean {
  const type = typeOf(schema);
  if (type === "string") return LIMITS.some((each) => each in schema);
  return type === "integer" || type === "number" || picksOf(schema).length > 0;
}
