// The events of a run as they arrive. Many events a second are passed on together.

import { type RunEvent, follow } from "../../api";

const TOGETHER = 64; // ms

/**
 * Passes the events of a run on until its end, and whether the connection is lost. Returns the problem that ended it
 * early; undefined if there was none.
 */
export async function hearRun(
  run: string,
  signal: AbortSignal,
  onEvents: (events: RunEvent[]) => void,
  onLost: (lost: boolean) => void,
): Promise<unknown> {
  let waiting: RunEvent[] = [];
  let timer = 0;
  const pass = () => {
    timer = 0;
    const events = waiting;
    waiting = [];
    if (!signal.aborted) onEvents(events);
  };
  let problem: unknown;
  try {
    for await (const { event } of follow(run, signal, onLost)) {
      waiting.push(event);
      timer ||= window.setTimeout(pass, TOGETHER);
    }
  } catch (error) {
    problem = error;
  }
  clearTimeout(timer);
  pass();
  return problem;
}
