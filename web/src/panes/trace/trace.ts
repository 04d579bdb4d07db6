// The events of a turn: grouped by their nodes, and the way through the flow.

import type { Json, TraceRow } from "../../api";
import { type RunEvent, nodeOf } from "../../api/events";

/** The events from the entry into a node until the next entry. */
export interface Visit {
  node: string;
  rows: TraceRow[];
}

export interface Way {
  nodes: Set<string>;
  /** Edges as `SOURCE → TARGET`, the first line of their titles in the drawing. */
  edges: Set<string>;
  /** The node at the end of the walk. */
  active: string;
}

/** Checkpoints repeat other events, so they are left out of the list. */
export const isShown = (row: TraceRow): boolean =>
  !["moved", "language_read", "questions_reopened", "channels_computed"].includes(row.event.type);

export function visitsOf(rows: readonly TraceRow[]): Visit[] {
  const visits: Visit[] = [];
  for (const row of rows) {
    if (!isShown(row)) continue;
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

const WALKS = new Set(["node_entered", "action_started", "prompted", "subgraph_left"]);

/** The way up to event `at`, or to the end. */
export function wayOf(rows: readonly { event: RunEvent; seq: number }[], at = Infinity): Way {
  const way: Way = { nodes: new Set(), edges: new Set(), active: "" };
  const stand = (node: string) => {
    if (node) way.nodes.add((way.active = node));
  };
  // A turn continues at the last node of the walk, which is the node of the first event that has one.
  stand(rows.map(({ event }) => nodeOf(event)).find(Boolean) ?? "");
  for (const { seq, event } of rows) {
    if (seq > at) break;
    if (event.type === "edge_taken" || event.type === "jumped" || event.type === "escalated") {
      const source = event.type === "escalated" ? event.node : event.source;
      const { target } = event;
      if (source) way.nodes.add(source);
      const leaves = target === "__exit__";
      way.edges.add(`${source} → ${leaves ? "exit" : target}`);
      if (!leaves) stand(target);
    } else if (WALKS.has(event.type)) stand(nodeOf(event));
  }
  return way;
}

/** A typed answer: JSON if it can be parsed, otherwise text. */
export function typed(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
