// The place of the user, in the address after the `#`, such as `#/chat/THREAD?beside=trace`. The service needs no
// paths. TanStack Router keeps the history, and asks before work is left that is not saved.

import { createHashHistory } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

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
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const [pane = "", ...rest] = path.split("/").filter(Boolean).map(decoded);
  return { pane, rest, query: new URLSearchParams(query) };
}

export function hashOf(pane: string, rest: readonly string[] = [], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${[pane, ...rest].map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export const history = createHashHistory();

let place = { href: history.location.href, ...placeOf(history.location.href) };

/** The present place; the same object while the address stays. */
export function currentPlace(): Place {
  const { href } = history.location;
  if (href !== place.href) place = { href, ...placeOf(href) };
  return place;
}

/** The present place. It follows the history at once, because some values of inputs are in the address. */
export const usePlace = (): Place => useSyncExternalStore(history.subscribe, currentPlace);

declare module "@tanstack/react-router" {
  interface HistoryState {
    keepsFocus?: boolean;
  }
}

interface GoOptions {
  replace?: boolean;
  /** Whether the pane does not move the focus, so that the next key is not typed into an input of it. */
  keepsFocus?: boolean;
}

export function go(hash: string, { replace, keepsFocus }: GoOptions = {}): void {
  const href = hash.slice(1);
  if (href === history.location.href) return;
  const state = keepsFocus ? { keepsFocus } : undefined;
  if (replace) history.replace(href, state);
  else history.push(href, state);
}

/** Whether the present place was reached in a way that keeps the focus. */
export const keepsFocus = (): boolean => history.location.state.keepsFocus === true;

/** Follows links inside the app through the history: it can hold them back. The returned function ends that. */
export function followLinks(): () => void {
  const onClick = (event: MouseEvent) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const hash = event.target instanceof Element && event.target.closest("a[href]")?.getAttribute("href");
    if (!hash || !hash.startsWith("#/")) return;
    event.preventDefault();
    go(hash);
  };
  document.addEventListener("click", onClick);
  return () => document.removeEventListener("click", onClick);
}
