// The messages that did not reach the service, at the end of the conversation.

import { CloudOff, RotateCcw, X } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Button } from "../../ui";
import { UserMessage } from "./Turn";
import type { Conversation, Shown } from "./session";
import { words } from "./words";

interface Props {
  session: Conversation;
  shown: Shown;
  /** The last button that had the focus is gone. */
  onGone(): void;
}

export function UnsentTurns({ session, shown, onGone }: Props): ReactNode {
  const say = useText(words);
  const { live, unsent } = shown;
  const busy = live !== null && live.ending === null;
  // The turn in progress may be one of them, whose request arrived without an answer.
  const shownTurns = unsent.filter((each) => !busy || each.text !== live.message);
  return shownTurns.map((each) => (
    <section key={each.key} className="turn">
      <UserMessage text={each.text ?? ""} files={each.files.map((file) => file.name)} />
      <div className="turn-problem turn-unsent" role="alert">
        <p>
          <CloudOff size={14} aria-hidden /> {say.notSent}
        </p>
        <Button
          icon={RotateCcw}
          disabled={busy}
          onClick={() => {
            onGone();
            void session.sendAgain(each);
          }}
        >
          {say.sendOnceMore}
        </Button>
        <Button
          look="quiet"
          icon={X}
          onClick={() => {
            onGone();
            session.remove(each);
          }}
        >
          {say.removeUnsent}
        </Button>
      </div>
    </section>
  ));
}
