// A value that components can watch: the smallest store that React needs.

import { useSyncExternalStore } from "react";
import { kept } from "./storage";

export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);

/** A store that survives a reload, as text in the browser's storage. */
export function createSetting<T extends string>(name: string, allowed: readonly T[], initial: T): Store<T> {
  const key = `graphwright.${name}`;
  const saved = kept.get(key) as T | null;
  const store = createStore<T>(saved !== null && allowed.includes(saved) ? saved : initial);
  store.subscribe(() => kept.set(key, store.get()));
  return store;
}
