// The trace of a finished turn: its events, and the sources of its answer.

import { type RunEvent, api } from "../../api";

/** A source of an answer; `label` is its name in the list below the answer, `text` the passage. */
export interface Source {
  id: string;
  kind: string;
  title: string;
  url: string;
  text: string;
  label: string;
  metadata: Record<string, string>;
}

export interface TurnDetails {
  events: RunEvent[];
  sources: Source[];
  /** The entries of the journal of the graph that it made. */
  goals: string[];
  /** The cost of its model calls; 0 if no model has a price. */
  cost: number;
  currency: string;
  /** How long it took, as the trace and the logs say. */
  seconds: number;
}

const MOST = 2000; // events of a turn that are shown

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isSource = (value: unknown): value is Source =>
  isObject(value) && ["title", "url", "text", "label"].every((name) => typeof value[name] === "string");

/** The details of turns, as those of one answer. */
export async function detailsOf(thread: string, turns: readonly number[]): Promise<TurnDetails> {
  const all = await Promise.all(turns.map((turn) => detailsOfOne(thread, turn)));
  const sum = (number: (each: TurnDetails) => number) => all.reduce((total, each) => total + number(each), 0);
  return {
    events: all.flatMap((each) => each.events),
    sources: all.at(-1)?.sources ?? [],
    goals: all.flatMap((each) => each.goals),
    cost: sum((each) => each.cost),
    currency: all.at(-1)?.currency ?? "",
    seconds: sum((each) => each.seconds),
  };
}

async function detailsOfOne(thread: string, turn: number): Promise<TurnDetails> {
  const events: RunEvent[] = [];
  let last = 0;
  let since: string | null = null;
  let [cost, currency] = [0, ""];
  let [began, ended] = ["", ""];
  do {
    const page = await api.trace(thread, { turn, limit: 200, since: Number(since ?? 0) });
    events.push(...page.items.map((each) => each.event));
    cost += page.items.reduce((sum, each) => sum + (each.cost ?? 0), 0);
    currency = page.currency;
    last = page.items.at(-1)?.seq ?? last;
    began ||= page.items[0]?.time ?? "";
    ended = page.items.at(-1)?.time ?? ended;
    since = page.next;
  } while (since && events.length < MOST);
  const seconds = began ? (Date.parse(ended) - Date.parse(began)) / 1000 : 0;
  const writes = (channel: string) =>
    events.some((each) => each.type === "channels_written" && isObject(each.values) && channel in each.values);
  // An event has only the hash of a large value.
  const values = writes("sources") || writes("committed") ? (await api.stateAt(thread, last)).values : {};
  const sources = writes("sources") ? listIn(values.sources).filter(isSource) : [];
  const goals = writes("committed") && isObject(values.committed) ? listIn(values.committed.goals) : [];
  return { events, cost, currency, seconds, sources, goals: goals.filter((each) => typeof each === "string") };
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
