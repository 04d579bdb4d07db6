// Values that components can watch: stores of zustand, each with one value.

import { useStore as useWatched } from "zustand";
import { type StoreApi, createStore as createWatched } from "zustand/vanilla";
import { kept } from "./storage";

export class Store<T> {
  readonly watched: StoreApi<{ value: T }>;

  constructor(initial: T) {
    this.watched = createWatched(() => ({ value: initial }));
  }

  get = (): T => this.watched.getState().value;

  set = (value: T): void => {
    if (!Object.is(value, this.get())) this.watched.setState({ value });
  };

  subscribe = (listener: () => void): (() => void) => this.watched.subscribe(listener);
}

export const createStore = <T>(initial: T): Store<T> => new Store(initial);

interface Readable<T> {
  readonly watched: Pick<StoreApi<{ value: T }>, "getState" | "getInitialState" | "subscribe">;
}

export const useStore = <T>(store: Readable<T>): T => useWatched(store.watched, ({ value }) => value);

/** A store that survives a reload, as text in the browser's storage. */
export function createSetting<T extends string>(name: string, allowed: readonly T[], initial: T): Store<T> {
  const key = `graphwright.${name}`;
  const saved = kept.get(key) as T | null;
  const store = createStore<T>(saved !== null && allowed.includes(saved) ? saved : initial);
  store.subscribe(() => kept.set(key, store.get()));
  return store;
}
