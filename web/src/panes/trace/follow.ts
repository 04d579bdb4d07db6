// A thread in progress: its turns, the events of one of them, and the way of the running turn.

import { useCallback, useEffect, useRef, useState } from "react";
import { type RunEvent, type TraceRow, type TurnRow, api, follow } from "../../api";
import { useResource, useUntilAnswered } from "../../app/resource";

const LOOK = 2000; // ms between checks for turns elsewhere
const TOLD = 200; // ms in which events of a run are combined into one read
const PAGE = 500; // events
const MOST = 20; // pages of events that are read automatically

/** The thread, loaded repeatedly while the page is visible, with the events of a run in progress. */
export function useThread(id: string) {
  const thread = useResource(`thread:${id}`, () => api.thread(id));
  const { reload } = thread;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && void reload(), LOOK);
    return () => clearInterval(timer);
  }, [reload]);
  const run = thread.data?.run?.status === "running" ? thread.data.run.id : "";
  const [told, setTold] = useState<RunEvent[]>([]);
  useEffect(() => {
    setTold([]);
    if (!run) return;
    const stopping = new AbortController();
    const heard: RunEvent[] = [];
    let timer = 0;
    const listen = async () => {
      for await (const { event } of follow(run, stopping.signal)) {
        if (event.type === "saying") continue;
        heard.push(event);
        timer ||= window.setTimeout(() => {
          timer = 0;
          setTold([...heard]);
        }, TOLD);
      }
    };
    // If it cannot follow the run, the next check shows the result.
    void listen()
      .catch(() => undefined)
      .finally(() => !stopping.signal.aborted && void reload());
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [run, reload]);
  return { thread, told, running: run !== "" };
}

/** The turns of a thread, the last one first. `stamp` changes when the thread continues. */
export function useTurns(id: string, stamp: string) {
  const first = useResource(`turns:${id}`, () => api.turns(id));
  const kept = useRef(new Map<number, TurnRow>());
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const { reload } = first;
  const read = useRef(stamp);
  useEffect(() => {
    if (read.current === stamp) return;
    read.current = stamp;
    void reload();
  });
  for (const each of first.data?.items ?? []) kept.current.set(each.turn, each);
  const from = next === undefined ? (first.data?.next ?? null) : next;
  const more = async () => {
    const page = await api.turns(id, from ?? "");
    for (const each of page.items) kept.current.set(each.turn, each);
    setNext(page.next);
  };
  return {
    ...first,
    items: [...kept.current.values()].sort((one, other) => other.turn - one.turn),
    currency: first.data?.currency ?? "USD",
    more: from === null ? null : more,
  };
}

interface Read {
  of: string;
  rows: TraceRow[];
  error: unknown;
  /** There are more events than were read. */
  more: boolean;
}

/**
 * All events of a turn. Later events are read from the end of the previous read; `stamp` changes when there may be
 * more.
 */
export function useEvents(thread: string, turn: number, stamp: string) {
  const of = `${thread} ${turn}`;
  const [read, setRead] = useState<Read>({ of, rows: [], error: undefined, more: false });
  const now = useRef(read);
  const reading = useRef({ of: "", again: false });
  const go = useCallback(async () => {
    if (turn < 1) return;
    if (reading.current.of === of) {
      // New events may be after the ones that are being read.
      reading.current.again = true;
      return;
    }
    const mine = (reading.current = { of, again: false });
    const put = (next: Read) => {
      if (reading.current === mine) setRead((now.current = next));
    };
    let rows = now.current.of === of ? now.current.rows : [];
    try {
      for (let page = 1; reading.current === mine; page += 1) {
        mine.again = false;
        const got = await api.trace(thread, { turn, since: (rows.at(-1)?.seq ?? -1) + 1, limit: PAGE });
        rows = [...rows, ...got.items];
        const whole = got.next === null || page >= MOST;
        put({ of, rows, error: undefined, more: got.next !== null && whole });
        if (whole && !mine.again) break;
      }
    } catch (error) {
      put({ of, rows, error, more: false });
    } finally {
      if (reading.current === mine) reading.current = { of: "", again: false };
    }
  }, [thread, turn, of]);
  useEffect(() => void go(), [go, stamp]);
  useUntilAnswered(read.error, go);
  const current = read.of === of ? read : { of, rows: [], error: undefined, more: false };
  return { ...current, loading: turn > 0 && read.of !== of, reload: () => void go() };
}
