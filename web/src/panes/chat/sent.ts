// The messages that this tab has sent: the one of the turn in progress, and those that wait for its end.

import { Problem, api } from "../../api";
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

/**
 * Starts the first turn of a new thread; opening the thread shows it in progress. If it is refused, the thread is
 * deleted.
 */
export async function beginThread(thread: string, message: string | null, files: Given[] = []): Promise<void> {
  sent.set(thread, message);
  try {
    await api.turn(thread, message, ids(files), "", crypto.randomUUID());
  } catch (error) {
    sent.set(thread, null);
    // Without an answer, or after an error of the service, it is unknown whether it began.
    if (error instanceof Problem && error.status >= 400 && error.status < 500)
      await api.deleteThread(thread).catch(() => undefined);
    throw error;
  }
}

/** A new thread that continues from another one before a turn, with a message. Returns its id. */
export async function branchedBefore(
  { thread, agent }: { thread: string; agent: string },
  turn: number,
  message: string,
): Promise<string> {
  const { items } = await api.trace(thread, { turn, limit: 1 });
  const at = (items[0]?.seq ?? 0) - 1;
  const made = at < 0 ? await api.createThread(agent, message, { branch_of: thread }) : await api.branch(thread, at);
  await beginThread(made.thread, message);
  return made.thread;
}
