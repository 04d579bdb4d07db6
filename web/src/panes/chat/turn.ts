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
}

const MOST = 2000; // events of a turn that are shown

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isSource = (value: unknown): value is Source =>
  isObject(value) && ["title", "url", "text", "label"].every((name) => typeof value[name] === "string");

export async function detailsOf(thread: string, turn: number): Promise<TurnDetails> {
  const events: RunEvent[] = [];
  let last = 0;
  let since: string | null = null;
  do {
    const page = await api.trace(thread, { turn, limit: 200, since: Number(since ?? 0) });
    events.push(...page.items.map((each) => each.event));
    last = page.items.at(-1)?.seq ?? last;
    since = page.next;
  } while (since && events.length < MOST);
  return { events, sources: events.some(tellsSources) ? await sourcesAt(thread, last) : [] };
}

const tellsSources = (event: RunEvent): boolean =>
  event.type === "channels_written" && isObject(event.values) && "sources" in event.values;

/** The sources in an agent's channel of this name. */
async function sourcesAt(thread: string, at: number): Promise<Source[]> {
  const { sources } = (await api.stateAt(thread, at)).values;
  return Array.isArray(sources) ? (sources as unknown[]).filter(isSource) : [];
}
