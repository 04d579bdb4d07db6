// Records as files: JSON with all that the service knows of them, CSV with a column for each field.

import type { Json, KeptRecord } from "../../api";
import { isObject } from "../../values";
import { csvText } from "../chat/csv";

export type Format = "csv" | "json";

const cell = (value: Json | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

export function exported(records: readonly KeptRecord[], format: Format): string {
  if (format === "json") return JSON.stringify(records, null, 2);
  const objects = records.map((each) => each.value).filter(isObject);
  const columns = objects.length === records.length ? [...new Set(objects.flatMap((each) => Object.keys(each)))] : null;
  const values = ({ value }: KeptRecord) =>
    columns && isObject(value) ? columns.map((name) => cell(value[name])) : [cell(value)];
  return csvText([
    ["created", ...(columns ?? ["value"]), "agent", "thread"],
    ...records.map((each) => [each.created, ...values(each), each.agent, each.thread]),
  ]);
}
