// The calls of models, tools and actions of a turn as bars on a common line of time.

import type { TraceRow } from "../../api";

export interface Bar {
  seq: number;
  kind: "model" | "tool" | "action";
  name: string;
  node: string;
  /** Seconds from the beginning of the turn. */
  from: number;
  seconds: number;
  failed: boolean;
  /** It belongs to the action above it. */
  inside: boolean;
}

export interface Timeline {
  bars: Bar[];
  /** The duration of the turn, or of its part so far. */
  seconds: number;
}

/** The name of a model, without the folders of its file. */
export const modelName = (model: string): string => model.replace(/^(\w+:).*[\\/]/, "$1");

const MS = 1000;
const SAME = 0.002; // seconds, within which two times are the same

/** The bars of a turn by their beginning. An event has the time at which it ended. */
export function timelineOf(rows: readonly TraceRow[], began: string): Timeline {
  const zero = new Date(began).getTime();
  const at = (row: TraceRow) => (new Date(row.time).getTime() - zero) / MS;
  const started = new Map<string, number>();
  const bars: Bar[] = [];
  for (const row of rows) {
    const { event, seq } = row;
    const end = at(row);
    const add = (kind: Bar["kind"], name: string, node: string, from: number, failed: boolean) =>
      bars.push({
        seq,
        kind,
        name,
        node,
        from: Math.max(0, from),
        seconds: Math.max(0, end - from),
        failed,
        inside: false,
      });
    if (event.type === "action_started") started.set(event.node, end);
    else if (event.type === "action_finished" || event.type === "action_failed") {
      const from = started.get(event.node);
      add("action", event.run, event.node, from ?? end, event.type === "action_failed");
    } else if (event.type === "model_called")
      add("model", modelName(event.model), event.node, end - event.seconds, Boolean(event.error));
    else if (event.type === "tool_called") add("tool", event.tool, event.node, end - event.seconds, !event.ok);
  }
  bars.sort((one, other) => one.from - other.from || other.seconds - one.seconds);
  const actions = bars.filter((bar) => bar.kind === "action");
  for (const bar of bars)
    bar.inside =
      bar.kind !== "action" &&
      actions.some(
        (action) =>
          action.node === bar.node &&
          action.from <= bar.from + SAME &&
          bar.from + bar.seconds <= action.from + action.seconds + SAME,
      );
  const last = rows.at(-1);
  return { bars, seconds: last ? Math.max(0, at(last)) : 0 };
}

/** Marks of a scale from 0 to a number of seconds: at most five, at round values. */
export function ticksOf(seconds: number): number[] {
  if (seconds <= 0) return [];
  const rough = seconds / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
}
