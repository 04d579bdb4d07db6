// The branches of a conversation: the versions of each turn, among which the user switches in place.

import type { Branch } from "../../api";

export interface Versions {
  /** The threads with a version of the turn, the oldest first. */
  threads: string[];
  /** The place of the open thread among them. */
  at: number;
}

/**
 * The versions of a turn. A branch has the turns of its source before turn `turn`, and its own from there on: that turn
 * and the one of the source are versions of each other.
 */
export function versionsOf(thread: string, turn: number, family: readonly Branch[]): Versions | null {
  const byId = new Map(family.map((each) => [each.thread, each]));
  /** The thread in which a turn was said that a thread has. */
  const owner = (id: string): string => {
    const branch = byId.get(id);
    return branch && branch.source && turn < branch.turn ? owner(branch.source) : id;
  };
  /** The first thread with a version of the turn that a thread has. */
  const first = (id: string): string => {
    const branch = byId.get(id);
    return branch && branch.source && turn <= branch.turn ? first(branch.source) : id;
  };
  const mine = first(thread);
  const own = owner(thread);
  const threads = family
    .map((each) => each.thread)
    .filter((id) => owner(id) === id && first(id) === mine && (id === own || (byId.get(id)?.turns ?? 0) >= turn));
  return threads.length > 1 && threads.includes(own) ? { threads, at: threads.indexOf(own) } : null;
}
