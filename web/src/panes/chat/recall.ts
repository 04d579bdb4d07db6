// The message of a turn that was not stored: it is shown as one that did not finish.

import { type Live, begun, problemIn } from "./live";
import type { Shown } from "./session";

/** The turn of the last message that this tab has sent, or null if the service stored it. */
export function recalled({ state, messages }: Shown, message: string | null): Live | null {
  const run = state?.run;
  if (run?.turn?.unread) return { ...begun(run.turn.unread), unread: run.turn.unread, ending: "turn_ended" };
  const isStored = messages.findLast((each) => each.role === "user")?.text === message;
  if (message === null || isStored || state?.status === "cut_short") return null;
  const problem = run?.problem ? problemIn(run.problem) : null;
  return { ...begun(message), problem, ending: run?.status === "cancelled" ? "run_cancelled" : "run_failed" };
}
