// The place in a conversation that an address names: a message (`message`, by its number) or a turn (`turn`).

import { type RefObject, useEffect } from "react";
import type { Message } from "../../api";
import type { Conversation } from "./session";

const TRIES = 20;
const PAUSE = 60; // ms between them, while turns are mounted

const numberOf = (text: string | null): number | null => (text && /^\d+$/.test(text) ? Number(text) : null);

/** Scrolls to the message or the turn, once it is loaded, and marks the message. `leave` stops following the end. */
export function useGoal(
  session: Conversation,
  scroll: RefObject<HTMLDivElement | null>,
  query: URLSearchParams,
  leave: () => void,
): void {
  const message = numberOf(query.get("message"));
  const turn = numberOf(query.get("turn"));
  useEffect(() => {
    if (message === null && turn === null) return;
    let wanted = true;
    const has = (each: Message) => (message !== null ? each.seq === message : each.turn === turn);
    const go = async () => {
      // The newest page is loaded first.
      while (wanted && !session.shown.get().thread && session.shown.get().error === undefined) await pause();
      if (!wanted || !(await session.reach(has))) return;
      leave();
      for (let tries = 0; wanted && tries < TRIES; tries++) {
        await pause();
        if (!wanted || show(scroll.current, message, turn)) return;
      }
    };
    void go();
    return () => {
      wanted = false;
    };
  }, [session, scroll, message, turn, leave]);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

/** Whether the place is shown now; a place far from the view is mounted when it comes near. */
function show(element: HTMLElement | null, message: number | null, turn: number | null): boolean {
  if (!element) return false;
  if (message === null) {
    const place = element.querySelector(`[data-turn="${turn}"]`);
    place?.scrollIntoView({ block: "start" });
    return place !== null;
  }
  const found = element.querySelector<HTMLElement>(`[data-seq="${message}"]`);
  if (found) {
    found.scrollIntoView({ block: "center" });
    found.classList.add("message-found");
    return true;
  }
  const places = [...element.querySelectorAll<HTMLElement>("[data-first]")];
  places
    .find((each) => Number(each.dataset.first) <= message && message <= Number(each.dataset.last))
    ?.scrollIntoView({ block: "center" });
  return false;
}
