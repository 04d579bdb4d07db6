// The entries of a difference: each with its lines, and the node or edge that differs.

import type { ChangeLine, ChangedPart, Compared } from "../api";

export interface Change {
  /** Added, removed, or changed in place, name or content. */
  tone: "added" | "removed" | "changed";
  /** Its name and remarks, as the compiler writes them. */
  text: string;
  head: ChangeLine;
  details: ChangeLine[];
  /** The node or edge, if the parts are known. */
  part: ChangedPart | null;
}

export interface ChangeGroup {
  heading: string;
  changes: Change[];
  /** Lines that belong to no entry, such as the count of those that are left out. */
  notes: string[];
}

const ENTRY = /^ {2}([-+~>=]) (.*)$/s;
const OF: Record<string, ChangedPart["what"]> = { nodes: "node", edges: "edge" };

/** The entries of a difference by their sort; those of the layout alone are not among them. */
export function changesOf({ lines, parts }: Pick<Compared, "lines" | "parts">): ChangeGroup[] {
  const groups: ChangeGroup[] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    const entry = ENTRY.exec(line.text);
    const last = group?.changes.at(-1);
    if (line.kind === "heading") groups.push({ heading: line.text, changes: [], notes: [] });
    else if (!group) continue;
    else if (line.kind !== "detail" && entry) {
      const known = parts.filter((each) => each.what === OF[group.heading] && !each.layout_only);
      group.changes.push({
        tone: line.kind,
        text: entry[2] ?? "",
        head: line,
        details: [],
        part: known[group.changes.length] ?? null,
      });
    } else if (last && /^ {6}/.test(line.text)) last.details.push(line);
    else group.notes.push(line.text.trim());
  }
  return groups;
}
