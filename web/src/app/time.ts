// Texts that change with time: one timer for all of them; a component is drawn again only if its text changes.

import { useSyncExternalStore } from "react";

const TICK = 10_000; // ms
const listeners = new Set<() => void>();
let timer = 0;

function tick(): void {
  if (document.visibilityState === "visible") for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = window.setInterval(tick, TICK);
    // A user who returns to the page sees the present time immediately.
    document.addEventListener("visibilitychange", tick);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}

/** A text that depends on the present time, such as an age; it is updated. */
export const useNow = <T extends string>(read: () => T): T => useSyncExternalStore(subscribe, read);
