// The calls of models, tools and actions of a turn as bars on a common line of time.

import type { Json, TraceRow } from "../../api";
import { spelled } from "../../app/readable";
import { isObject } from "../../values";

export interface Bar {
  seq: number;
  kind: "model" | "tool" | "action";
  /** The name of a model call is that of the value that the model was asked for; empty for a text. */
  name: string;
  /** The model of a model call. */
  model: string;
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

/** The bars of a turn: actions by their beginning, each with its calls below it. An event has the time at which it ended. */
export function timelineOf(rows: readonly TraceRow[], began: string): Timeline {
  const zero = new Date(began).getTime();
  const at = (row: TraceRow) => (new Date(row.time).getTime() - zero) / MS;
  const started = new Map<string, number>();
  const bars: Bar[] = [];
  for (const row of rows) {
    const { event, seq } = row;
    const end = at(row);
    const add = (kind: Bar["kind"], name: string, from: number, failed: boolean, model = "") => {
      const node = "node" in event ? String(event.node) : "";
      const seconds = Math.max(0, end - from);
      bars.push({ seq, kind, name, model, node, from: Math.max(0, from), seconds, failed, inside: false });
    };
    if (event.type === "action_started") started.set(event.node, end);
    else if (event.type === "action_finished" || event.type === "action_failed")
      add("action", event.run, started.get(event.node) ?? end, event.type === "action_failed");
    else if (event.type === "model_called")
      add("model", askedOf(event.answer), end - event.seconds, Boolean(event.error), modelName(event.model));
    else if (event.type === "tool_called") add("tool", event.tool, end - event.seconds, !event.ok);
  }
  const last = rows.at(-1);
  return { bars: nested(bars), seconds: last ? Math.max(0, at(last)) : 0 };
}

/** The name of the value that a model was asked for; empty for a text. */
function askedOf(answer: Json | undefined): string {
  const call = isObject(answer) ? answer.call : undefined;
  return isObject(call) && !("name" in call) ? Object.keys(call).map(spelled).join(", ") : "";
}

const byBeginning = (one: Bar, other: Bar): number => one.from - other.from || one.seq - other.seq;

/** Each action with its calls below it. The time of a call is measured apart, so it may seem to begin a little earlier. */
function nested(bars: Bar[]): Bar[] {
  const actions = bars.filter((bar) => bar.kind === "action");
  const ownerOf = (bar: Bar): Bar | undefined =>
    actions.findLast(
      (action) =>
        action.node === bar.node &&
        action.from <= bar.from + SAME &&
        bar.from + bar.seconds <= action.from + action.seconds + SAME,
    );
  const inside = new Map<Bar, Bar[]>();
  const outside: Bar[] = [...actions];
  for (const bar of bars) {
    if (bar.kind === "action") continue;
    const owner = ownerOf(bar);
    bar.inside = owner !== undefined;
    if (owner) inside.set(owner, [...(inside.get(owner) ?? []), bar]);
    else outside.push(bar);
  }
  return outside.sort(byBeginning).flatMap((bar) => [bar, ...(inside.get(bar) ?? []).sort(byBeginning)]);
}

/** Marks of a scale from 0 to a number of seconds: at most five, at round values. */
export function ticksOf(seconds: number): number[] {
  if (seconds <= 0) return [];
  const rough = seconds / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
}
