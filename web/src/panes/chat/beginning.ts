// The first turn of a new thread, or of a branch.

import { Problem, api, isUnanswered } from "../../api";
import { type Given, sent } from "./sent";
import { type Unsent, forget, keep, requested } from "./unsent";

/**
 * Starts the first turn of a new thread; opening the thread shows it in progress, or as not sent. If it is refused, the
 * thread is deleted.
 */
export async function beginThread(thread: string, message: string | null, files: Given[] = []): Promise<void> {
  const asks = { message, approves: "" };
  const turn: Unsent = { key: crypto.randomUUID(), text: message, files, asks, decision: null, after: -1 };
  keep(thread, turn);
  sent.set(thread, message);
  try {
    await requested(thread, turn);
    forget(thread, turn);
  } catch (error) {
    sent.set(thread, null);
    if (message !== null && isUnanswered(error)) return;
    forget(thread, turn);
    // After an error of the service it is unknown whether it began.
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
