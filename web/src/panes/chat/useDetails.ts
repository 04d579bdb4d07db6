// The trace of the finished turns that led to an answer, requested when it has been in view for a moment.

import { type RefObject, useEffect, useState } from "react";
import { useResource } from "../../app/resource";
import { type TurnDetails, detailsOf } from "./turn";

const NOTHING: TurnDetails = { events: [], sources: [], goals: [], cost: 0, currency: "", seconds: 0 };

export function useDetails(
  thread: string,
  turns: readonly number[],
  last: number,
  element: RefObject<HTMLElement | null>,
  atOnce: boolean,
): TurnDetails {
  const [seen, setSeen] = useState(atOnce);
  useEffect(() => {
    if (seen || !element.current) return;
    let timer = 0;
    const observer = new IntersectionObserver(
      (entries) => {
        clearTimeout(timer);
        // Turns that the user scrolls past are not loaded.
        if (entries.at(-1)?.isIntersecting) timer = window.setTimeout(() => setSeen(true), 250);
      },
      { rootMargin: "100px" },
    );
    observer.observe(element.current);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [seen, element]);
  const key = seen && turns.length > 0 ? `turn?${thread}&${turns.join()}&${last}` : null;
  return useResource(key, () => detailsOf(thread, turns)).data ?? NOTHING;
}
