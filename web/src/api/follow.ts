// The events of a run, as the service streams them.

import { frames } from "../sse";
import { Problem, request } from "./client";
import type { RunEvent } from "./events";

export interface RunFrame {
  id: number;
  event: RunEvent;
}

const LAST = new Set(["turn_ended", "run_failed", "run_cancelled"]);
const PAUSES = [250, 500, 1000, 2000, 4000]; // ms before each attempt to reconnect
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/**
 * The events of a run, from the first. After a connection loss, it reconnects after the last received event, as often
 * as necessary: the run continues without us. `onLost` is called when the connection is lost and when it is restored.
 */
export async function* follow(
  run: string,
  signal: AbortSignal,
  onLost: (lost: boolean) => void = () => undefined,
): AsyncGenerator<RunFrame> {
  let last = 0;
  for (let tries = 0; !signal.aborted;) {
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last > 0) headers["Last-Event-ID"] = String(last);
      const response = await request(`runs/${encodeURIComponent(run)}/events`, { signal, headers });
      onLost(false);
      for await (const frame of frames(response)) {
        tries = 0;
        last = Number(frame.id) || last;
        const event = JSON.parse(frame.data) as RunEvent;
        yield { id: last, event };
        if (LAST.has(event.type)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const lost = !(error instanceof Problem) || error.status === 0 || error.status >= 500;
      const later = error instanceof Problem && error.status === 429;
      if (!lost && !later) throw error;
      if (later) await pause(1000 * (error.retryAfter ?? 5), signal);
    }
    onLost(true);
    await pause(PAUSES[Math.min(tries++, PAUSES.length - 1)] ?? 0, signal);
  }
}
