// The messages that are sent when the turn in progress has ended.

import { CornerDownRight, SendHorizontal, X } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Button, IconButton } from "../../ui";
import { visible } from "../../ui/visible";
import type { Conversation, Shown } from "./session";
import { words } from "./words";

export function Queue({ session, shown }: { session: Conversation; shown: Shown }): ReactNode {
  const say = useText(words);
  const { queue, live, state } = shown;
  if (queue.length === 0) return null;
  const busy = live !== null && live.ending === null;
  // After a turn that failed or asks for an approval, the user decides when they are sent.
  const held = !busy && (live !== null || state?.waiting_for?.approval !== undefined);
  return (
    <section className="queue" aria-label={say.queued(queue.length)}>
      <h3 className="queue-title">{busy ? say.queuedAfter : say.queued(queue.length)}</h3>
      <ul>
        {queue.map((each) => (
          <li key={each.key}>
            <CornerDownRight size={13} aria-hidden />
            <span className="cut">{visible(each.text)}</span>
            <IconButton
              icon={X}
              label={say.unqueue(visible(each.text.slice(0, 60)))}
              onClick={() => session.enqueue(queue.filter((other) => other !== each))}
            />
          </li>
        ))}
      </ul>
      {(held || !busy) && (
        <div className="queue-held">
          <span>{state?.waiting_for?.approval ? say.queueHeld : say.queuePaused}</span>
          <Button look="quiet" icon={SendHorizontal} onClick={() => void session.sendNext(true)}>
            {say.sendAgain}
          </Button>
        </div>
      )}
    </section>
  );
}
