// Answers of the service: TanStack Query caches them by key. A cached answer is shown immediately, and requested again.

import { QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { type Page, isUnanswered } from "../api";

const ASK_AGAIN = 4000; // ms between requests to a service that did not answer
const KEPT = 10 * 60_000; // ms for which an answer is kept that no component shows

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may be on this machine, which is then reachable without a network.
      networkMode: "always",
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      gcTime: KEPT,
      refetchInterval: (query) => isUnanswered(query.state.error) && ASK_AGAIN,
    },
  },
});

export interface Resource<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  reload(): Promise<void>;
  /** Replaces the loaded value. */
  put(data: T): void;
}

/** Repeats an unanswered request while the page is visible, because the service may be back. */
export function useUntilAnswered(error: unknown, ask: () => unknown): void {
  useEffect(() => {
    if (!isUnanswered(error)) return;
    const timer = setInterval(() => document.visibilityState === "visible" && ask(), ASK_AGAIN);
    return () => clearInterval(timer);
  }, [error, ask]);
}

const reloaded = (key: string | null): Promise<void> =>
  key === null ? Promise.resolve() : queries.refetchQueries({ queryKey: [key] });

/**
 * The answer to a request; `key` is its name in the cache, null requests nothing. It is requested again on each mount.
 */
export function useResource<T>(key: string | null, load: () => Promise<T>): Resource<T> {
  const query = useQuery({ queryKey: [key], queryFn: load, enabled: key !== null }, queries);
  const reload = useCallback(() => reloaded(key), [key]);
  const put = useCallback((data: T) => key !== null && queries.setQueryData([key], data), [key]);
  const error = query.error ?? undefined;
  const loading = key !== null && query.data === undefined && error === undefined;
  return { data: query.data, error, loading, reload, put };
}

const begins = (prefix: string) => (query: { queryKey: readonly unknown[] }) =>
  String(query.queryKey[0]).startsWith(prefix);

/** Forgets answers whose keys have this prefix, and requests the shown ones again. */
export function invalidate(prefix: string): void {
  queries.removeQueries({ type: "inactive", predicate: begins(prefix) });
  void queries.refetchQueries({ type: "active", predicate: begins(prefix) });
}

/** Forgets the answers that no shown component uses. */
export function forgetUnseen(): void {
  queries.removeQueries({ type: "inactive" });
}

export interface Pages<T> {
  items: T[];
  error: unknown;
  loading: boolean;
  more: (() => void) | null;
  /** More than one page is loaded. */
  grown: boolean;
  reload(): Promise<void>;
}

/** A list in pages, of which the first is loaded; `more` loads the next one. */
export function usePages<T>(key: string, load: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  const query = useInfiniteQuery(
    {
      queryKey: [key, "pages"],
      queryFn: ({ pageParam }) => load(pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next ?? undefined,
    },
    queries,
  );
  const pages = query.data?.pages ?? [];
  const error = query.error ?? undefined;
  return {
    items: pages.flatMap((page) => page.items),
    error,
    loading: query.data === undefined && error === undefined,
    more: query.hasNextPage ? () => !query.isFetchingNextPage && void query.fetchNextPage() : null,
    grown: pages.length > 1,
    reload: useCallback(() => reloaded(key), [key]),
  };
}

/** The previous value while the next one is loading, so that a list does not flicker while the user types. */
export function useKept<T>(now: T | undefined): T | undefined {
  const kept = useRef<T | undefined>(undefined);
  if (now !== undefined) kept.current = now;
  return kept.current;
}
