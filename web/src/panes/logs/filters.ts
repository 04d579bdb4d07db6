// The filters of the log: in the address as the user sets them, and as parameters for the service.

import type { LogsQuery } from "../../api";

export const FILTERS = ["q", "agent", "type", "success", "since", "until", "session"] as const;
export type Filters = Record<(typeof FILTERS)[number], string>;

export const filtersOf = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])) as Filters;

/** The request to the service. Days are those of the user's clock, and the last one is included. */
export function asked(filters: Filters): LogsQuery {
  const { q, type, success, since, until, ...rest } = filters;
  return {
    ...rest,
    success: success ? success === "true" : null,
    q: q.trim(),
    type: type.trim(),
    since: midnight(since),
    until: midnight(until, 1),
  };
}

/** The begin of a day such as `2026-11-24`, or of a later one; empty if it is not a day. */
function midnight(day: string, later = 0): string {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return "";
  return new Date(year, month - 1, date + later).toISOString();
}
