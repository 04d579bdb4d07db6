// The filters of the log: in the address as the user sets them, and as parameters for the service.

import type { LogsQuery } from "../../api";
import { timesOf } from "../../app/period";

export const FILTERS = ["q", "agent", "type", "success", "period", "since", "until", "session", "trials"] as const;
/** The type of a turn whose agent gave it none. */
export const ORDINARY = "question";

export type Filters = Record<(typeof FILTERS)[number], string>;

export const filtersOf = (query: URLSearchParams): Filters =>
  Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])) as Filters;

/** The number of filters that are set; the ends of a time count once. */
export const countOf = (filters: Filters): number =>
  FILTERS.filter((name) => name !== "since" && name !== "until" && filters[name] !== "").length;

/** The request to the service. A period ends now. */
export function asked(filters: Filters, now = Date.now()): LogsQuery {
  const { q, agent, type, success, session, trials } = filters;
  return {
    agent,
    session,
    trials: trials !== "",
    success: success ? success === "true" : null,
    q: q.trim(),
    type: type.trim(),
    ...timesOf(filters, now),
  };
}
