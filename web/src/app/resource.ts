// A cache of answers of the service, by key: a cached answer is shown immediately, and requested again.

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type Page, Problem } from "../api";

interface Entry {
  data?: unknown;
  error?: unknown;
  promise?: Promise<void> | undefined;
}

const MOST = 200; // cached answers
const entries = new Map<string, Entry>();
const listeners = new Map<string, Set<() => void>>();
const shown = new Map<string, Set<() => Promise<void>>>();
const NOTHING: Entry = {};

function write(key: string, entry: Entry): void {
  entries.delete(key);
  entries.set(key, entry);
  for (const old of entries.keys()) {
    if (entries.size <= MOST) break;
    if (!listeners.get(old)?.size) entries.delete(old);
  }
  for (const listener of listeners.get(key) ?? []) listener();
}

function ask(key: string, load: () => Promise<unknown>): Promise<void> {
  const promise = load().then(
    (data) => entries.get(key)?.promise === promise && write(key, { data }),
    (error: unknown) =>
      entries.get(key)?.promise === promise && write(key, { ...entries.get(key), promise: undefined, error }),
  ) as Promise<void>;
  write(key, { ...entries.get(key), promise });
  return promise;
}

export interface Resource<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  reload(): Promise<void>;
  /** Replaces the loaded value. */
  put(data: T): void;
}

const ASK_AGAIN = 4000; // ms between requests to a service that did not answer

/** Repeats an unanswered request while the page is visible, because the service may be back. */
export function useUntilAnswered(error: unknown, ask: () => unknown): void {
  useEffect(() => {
    if (!(error instanceof Problem) || error.code !== "no_answer") return;
    const timer = setInterval(() => document.visibilityState === "visible" && ask(), ASK_AGAIN);
    return () => clearInterval(timer);
  }, [error, ask]);
}

/**
 * The answer to a request; `key` is its name in the cache, null requests nothing. It is requested again on each mount.
 */
export function useResource<T>(key: string | null, load: () => Promise<T>): Resource<T> {
  const name = key ?? "";
  const subscribe = useCallback(
    (listener: () => void) => {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
    [name],
  );
  const entry = useSyncExternalStore(subscribe, () => entries.get(name) ?? NOTHING);
  const [loader] = useState(() => ({ load }));
  loader.load = load;
  const reload = useCallback(() => (name ? ask(name, () => loader.load()) : Promise.resolve()), [name, loader]);
  const put = useCallback((data: T) => name && write(name, { data }), [name]);
  useEffect(() => {
    if (!name) return;
    if (!entries.get(name)?.promise) void reload();
    const all = shown.get(name) ?? new Set();
    shown.set(name, all.add(reload));
    return () => void all.delete(reload);
  }, [name, reload]);
  useUntilAnswered(
    entry.error,
    useCallback(() => entries.get(name)?.promise ?? reload(), [name, reload]),
  );
  const loading = key !== null && entry.data === undefined && entry.error === undefined;
  return { data: entry.data as T | undefined, error: entry.error, loading, reload, put };
}

/** Forgets answers whose keys have this prefix, and requests the shown ones again. */
export function invalidate(prefix: string): void {
  for (const key of [...entries.keys()]) {
    if (!key.startsWith(prefix)) continue;
    const [reload] = shown.get(key) ?? [];
    if (reload) void reload();
    else entries.delete(key);
  }
}

/** Forgets the answers that no shown component uses. */
export function forgetUnseen(): void {
  for (const key of [...entries.keys()]) if (!listeners.get(key)?.size) entries.delete(key);
}

export interface Pages<T> {
  items: T[];
  error: unknown;
  loading: boolean;
  more: (() => void) | null;
  /** More pages than the first are loaded; a reload would remove them. */
  grown: boolean;
  reload(): void;
}

/** A list in pages: the first immediately, the next when `more` is called. */
export function usePages<T>(key: string, load: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  const first = useResource<Page<T>>(key, () => load(undefined));
  const [later, setLater] = useState<{ of: Page<T>; items: T[]; next: string | null } | null>(null);
  const page = first.data;
  const rest = later !== null && later.of === page ? later : null;
  const next = rest ? rest.next : (page?.next ?? null);
  const [busy, setBusy] = useState(false);
  const more = () => {
    if (busy || !page || !next) return;
    setBusy(true);
    load(next)
      .then((got) => setLater({ of: page, items: [...(rest?.items ?? []), ...got.items], next: got.next }))
      .finally(() => setBusy(false));
  };
  return {
    items: page ? [...page.items, ...(rest?.items ?? [])] : [],
    error: first.error,
    loading: first.loading,
    more: next ? more : null,
    grown: rest !== null,
    reload: first.reload,
  };
}

/** The previous value while the next one is loading, so that a list does not flicker while the user types. */
export function useKept<T>(now: T | undefined): T | undefined {
  const kept = useRef<T | undefined>(undefined);
  if (now !== undefined) kept.current = now;
  return kept.current;
}
