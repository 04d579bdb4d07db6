// The lines that a text has in addition to another one, and those that it lacks.

export interface LineChanges {
  added: number;
  removed: number;
}

/** Counts lines without regard to their order: a line that only moved is no change. */
export function lineChanges(before: string, after: string): LineChanges {
  const counts = new Map<string, number>();
  for (const line of before.split("\n")) counts.set(line, (counts.get(line) ?? 0) - 1);
  for (const line of after.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  let [added, removed] = [0, 0];
  for (const count of counts.values()) {
    added += Math.max(count, 0);
    removed += Math.max(-count, 0);
  }
  return { added, removed };
}
