// The messages that this tab has sent: the one of the turn in progress, and those that wait for its end.

import { keptByTab } from "../../app/storage";

export interface Given {
  id: string;
  name: string;
}

/** A message that is sent when the turn in progress has ended. */
export interface Queued {
  key: string;
  text: string;
  files: Given[];
}

export const ids = (files: readonly Given[]) => files.map((each) => each.id);

/**
 * The message of a turn in progress, by thread. A turn that is interrupted early is not stored by the service: then
 * this is the only copy of the message, also after a reload.
 */
export const sent = {
  key: (thread: string) => `graphwright.sent.${thread}`,
  get: (thread: string) => keptByTab.get(sent.key(thread)),
  set: (thread: string, message: string | null) => keptByTab.set(sent.key(thread), message),
};

/** The messages that wait, by thread; they survive a reload. */
export const waitingToSend = {
  key: (thread: string) => `graphwright.queue.${thread}`,
  get(thread: string): Queued[] {
    try {
      return JSON.parse(keptByTab.get(waitingToSend.key(thread)) ?? "[]") as Queued[];
    } catch {
      return [];
    }
  },
  set: (thread: string, queue: readonly Queued[]) =>
    keptByTab.set(waitingToSend.key(thread), queue.length > 0 ? JSON.stringify(queue) : null),
};
