// The place of the user, in the address after the `#`, such as `#/chat/THREAD?beside=trace`. The service needs no
// paths.

import { createStore, useStore } from "./store";

export interface Place {
  pane: string;
  /** The parts of the address after the pane, decoded. */
  rest: string[];
  query: URLSearchParams;
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an incomplete escape of a truncated address
  }
};

export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [pane = "", ...rest] = path.split("/").filter(Boolean).map(decoded);
  return { pane, rest, query: new URLSearchParams(query) };
}

export function hashOf(pane: string, rest: readonly string[] = [], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${[pane, ...rest].map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

const place = createStore<Place>(placeOf(location.hash));
addEventListener("hashchange", () => place.set(placeOf(location.hash)));

export const usePlace = (): Place => useStore(place);
export const currentPlace = (): Place => place.get();

export function go(hash: string, options: { replace?: boolean } = {}): void {
  if (hash === location.hash) return;
  if (options.replace) {
    history.replaceState(null, "", hash);
    place.set(placeOf(hash));
  } else location.hash = hash;
}
