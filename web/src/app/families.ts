// A conversation and its branches, which are versions of it, as one item of a list.

import type { Thread } from "../api";

type Member = Pick<Thread, "thread" | "branch_of">;

/** The threads without further versions of one that is listed before. */
export function oneEach<T extends Member>(threads: readonly T[]): T[] {
  const byId = new Map(threads.map((each) => [each.thread, each]));
  const rootOf = (id: string): string => {
    const source = byId.get(id)?.branch_of?.thread;
    return source ? rootOf(source) : id;
  };
  const roots = new Set<string>();
  return threads.filter(({ thread }) => {
    const root = rootOf(thread);
    return !roots.has(root) && roots.add(root);
  });
}
