// The loaded messages of a conversation: its last page, and older ones in front of it.

import type { Message, Page } from "../../api";

export interface Loaded {
  /** Oldest first. */
  messages: Message[];
  /** The cursor of older messages; null if all are loaded. */
  older: number | null;
}

const same = (one: Message, other: Message): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

/** The loaded messages with the newest page. Unchanged messages stay the same objects: they are not drawn again. */
export function withNewest(held: Loaded, page: Page<Message>): Loaded {
  const first = page.items[0]?.seq ?? 0;
  const kept = held.messages.filter((each) => each.seq < first);
  // A gap between the pages would look as if there were nothing in between.
  const joined = kept.length > 0 && (kept.at(-1)?.seq ?? 0) >= first - 1;
  const known = new Map(held.messages.map((each) => [each.seq, each]));
  const fresh = page.items.map((each) => {
    const old = known.get(each.seq);
    return old && same(old, each) ? old : each;
  });
  return joined
    ? { messages: [...kept, ...fresh], older: held.older }
    : { messages: fresh, older: page.next === null ? null : first };
}

/** The loaded messages with a page of older ones in front. */
export function withOlder(held: Loaded, page: Page<Message>): Loaded {
  const first = page.items[0]?.seq ?? 0;
  return { messages: [...page.items, ...held.messages], older: page.next === null ? null : first };
}
