// What a turn that did not finish leaves in no message: its own message, or what it had written.

import type { Run, RunEvent } from "../../api";
import { hearRun } from "./hearing";
import { type Live, after, begun, isOf, problemIn } from "./live";
import type { Shown } from "./session";
import { turnsOf } from "./turns";

/** The last turn as it was heard, if the user stopped it: what it had written is in no message. */
export async function heardAgain({ state, messages }: Shown, signal: AbortSignal): Promise<Live | null> {
  const run = state?.run;
  const last = turnsOf(messages).at(-1);
  if (run?.status !== "cancelled" || state?.status === "cut_short" || !last) return null;
  const live = await replayed(run, signal);
  return live.ending === "run_cancelled" && isOf(live)(last) ? live : null;
}

async function replayed(run: Run, signal: AbortSignal): Promise<Live> {
  let live = begun(null);
  const add = (events: RunEvent[]) => {
    live = events.reduce(after, live);
  };
  // A run whose events are gone was stopped all the same.
  await hearRun(run.id, signal, add, () => undefined);
  return live;
}

/** The turn of the last message that this tab has sent, or null if the service stored it. */
export function recalled({ state, messages }: Shown, message: string | null): Live | null {
  const run = state?.run;
  if (run?.turn?.unread) return { ...begun(run.turn.unread), unread: run.turn.unread, ending: "turn_ended" };
  // A turn without a message that failed before it said anything is in no message.
  if (run?.turn?.error && messages.length === 0)
    return { ...begun(null), problem: problemIn(run.turn.error), ending: "turn_ended" };
  const isStored = messages.findLast((each) => each.role === "user")?.text === message;
  if (message === null || isStored || state?.status === "cut_short") return null;
  const problem = run?.problem ? problemIn(run.problem) : null;
  return { ...begun(message), problem, ending: run?.status === "cancelled" ? "run_cancelled" : "run_failed" };
}
