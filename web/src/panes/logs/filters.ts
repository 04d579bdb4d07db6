// The filters of the log: in the address as people set them, and as the service is asked for them.

import type { Query } from "../../api";

export const FILTERS = ["q", "agent", "type", "success", "since", "until", "session"] as const;
export type Filters = Record<(typeof FILTERS)[number], string>;

export const filtersOf = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])) as Filters;

/** The question for the service. Days are those of the user's clock, and the last one belongs to them. */
export function asked(filters: Filters): Query {
  const { q, type, since, until, ...rest } = filters;
  return { ...rest, q: q.trim(), type: type.trim(), since: midnight(since), until: midnight(until, 1) };
}

/** When a day such as `2026-11-24` begins, or the one so many days later; empty where it is no day. */
function midnight(day: string, later = 0): string {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return "";
  return new Date(year, month - 1, date + later).toISOString();
}
