// The entries of the audit as one row for each action: who decided, and what came of it.

import type { AuditEntry } from "../../api";

export interface Audited {
  /** The decision; for actions whose decision is on another page, the outcome. */
  decision: AuditEntry;
  outcome: AuditEntry | null;
}

const DECISIONS: readonly AuditEntry["event"][] = ["approved", "rejected"];
const OUTCOMES: readonly AuditEntry["event"][] = ["performed", "failed", "unknown", "superseded"];

/** One row for each action, the latest first; an outcome is in the row of its decision. */
export function rowsOf(entries: readonly AuditEntry[]): Audited[] {
  const rows: Audited[] = [];
  const open = new Map<string, AuditEntry>();
  // A no does not name the content.
  const key = (of: AuditEntry) => `${of.thread} ${of.content || of.run}`;
  for (const entry of entries) {
    const outcome = open.get(key(entry));
    if (DECISIONS.includes(entry.event) && outcome) {
      open.delete(key(entry));
      const at = rows.findIndex((row) => row.decision === outcome);
      rows[at] = { decision: entry, outcome };
      continue;
    }
    if (OUTCOMES.includes(entry.event)) open.set(key(entry), entry);
    rows.push({ decision: entry, outcome: null });
  }
  return rows;
}
