// A place in a long list of turns, whose content is in the page only near the view.

import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Message } from "../../api";

interface Props {
  /** The messages in it: addresses lead to them. */
  messages: readonly Message[];
  always: boolean;
  children: ReactNode;
}

const AWAY = "2500px"; // distance from the view beyond which turns are not kept in the page

/** Replaces content far from the view by an empty place of the same height, so that a long conversation stays fast. */
export function Held({ messages, children, always }: Props): ReactNode {
  const ref = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element || always) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (entry) setAway(entry.isIntersecting ? 0 : entry.boundingClientRect.height);
      },
      { root: element.closest(".conversation-scroll"), rootMargin: `${AWAY} 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [always]);
  const isHeld = always || away === 0;
  return (
    <div
      ref={ref}
      className="turn-place"
      data-turn={messages[0]?.turn}
      data-first={messages[0]?.seq}
      data-last={messages.at(-1)?.seq}
      style={isHeld ? undefined : { height: away }}
    >
      {isHeld && children}
    </div>
  );
}
