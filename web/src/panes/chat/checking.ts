// Whether a value that was typed fits the schema of a question. The service checks again; here it is only said sooner.

import type { Json, JsonObject } from "../../api";

export type Complaint =
  | { kind: "not_number" | "not_whole" | "not_like" }
  | { kind: "too_small" | "too_large" | "too_short" | "too_long"; limit: number };

export function checked(text: string, schema: JsonObject): { value?: Json; complaint: Complaint | null } {
  const limit = (name: string) => (typeof schema[name] === "number" ? (schema[name] as number) : null);
  if (schema.type === "integer" || schema.type === "number") {
    const value = Number(text.trim().replace(",", "."));
    if (text.trim() === "" || Number.isNaN(value)) return { complaint: { kind: "not_number" } };
    if (schema.type === "integer" && !Number.isInteger(value)) return { complaint: { kind: "not_whole" } };
    const least = limit("minimum");
    const most = limit("maximum");
    if (least !== null && value < least) return { complaint: { kind: "too_small", limit: least } };
    if (most !== null && value > most) return { complaint: { kind: "too_large", limit: most } };
    return { value, complaint: null };
  }
  const value = text.trim();
  const shortest = limit("minLength");
  const longest = limit("maxLength");
  if (shortest !== null && value.length < shortest) return { complaint: { kind: "too_short", limit: shortest } };
  if (longest !== null && value.length > longest) return { complaint: { kind: "too_long", limit: longest } };
  if (typeof schema.pattern === "string" && !matches(schema.pattern, value)) return { complaint: { kind: "not_like" } };
  return { value, complaint: null };
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // a pattern of another dialect: the service knows it
  }
}
