// The events of a turn, grouped by their nodes.

import type { Json, TraceRow } from "../../api";
import { nodeOf } from "../../api/events";

/** The events from the entry into a node until the next entry. */
export interface Visit {
  node: string;
  rows: TraceRow[];
}

const UNSHOWN = new Set(["moved", "language_read", "questions_reopened", "channels_computed"]);

/**
 * The events that are listed. Checkpoints repeat other events. The beginning of an action is listed only while the
 * action has not ended: its end has all of it.
 */
export function shownOf(rows: readonly TraceRow[]): TraceRow[] {
  const ended = new Set<string>();
  const key = (event: { visit: number; attempt: number }) => `${event.visit} ${event.attempt}`;
  for (const { event } of rows)
    if (event.type === "action_finished" || event.type === "action_failed") ended.add(key(event));
  return rows.filter(
    ({ event }) => !UNSHOWN.has(event.type) && !(event.type === "action_started" && ended.has(key(event))),
  );
}

export function visitsOf(rows: readonly TraceRow[]): Visit[] {
  const visits: Visit[] = [];
  for (const row of rows) {
    const last = visits.at(-1);
    const node = nodeOf(row.event);
    if (!last || row.event.type === "node_entered") visits.push({ node, rows: [row] });
    else {
      // Events before the first entry belong to the node where the turn continued.
      last.node ||= node;
      last.rows.push(row);
    }
  }
  return visits;
}

/** A typed answer: JSON if it can be parsed, otherwise text. */
export function typed(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
