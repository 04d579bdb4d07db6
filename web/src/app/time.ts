// What becomes different as time passes: one timer for all of it, and only what reads differently then is drawn anew.

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
    // Who comes back to the page sees at once what time it is.
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

/** A text about now, such as how long ago something was, which stays true. */
export const useNow = <T extends string>(read: () => T): T => useSyncExternalStore(subscribe, read);
