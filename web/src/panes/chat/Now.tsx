// The turn in progress, or one that was interrupted.

import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { Button, classes } from "../../ui";
import { visible } from "../../ui/visible";
import { FailedTurn } from "./FailedTurn";
import { Markdown } from "./Markdown";
import { Steps } from "./Steps";
import { UserMessage } from "./Turn";
import { Writing } from "./Writing";
import { type Live, endOf, numberOf } from "./live";
import type { Conversation } from "./session";
import { words } from "./words";

/** An interrupted turn that is not running. */
export function CutShort({ onFinish }: { onFinish(): void }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  return (
    <div className="turn-problem turn-failed" role="alert">
      <p>{say.cutShort}</p>
      {mayWrite && (
        <Button icon={RotateCcw} onClick={onFinish} keys="r">
          {say.finish}
        </Button>
      )}
    </div>
  );
}

interface NowProps {
  session: Conversation;
  live: Live;
  title: string;
  onRetry(): void;
}

/** The turn in progress, or one that the service did not store. */
export function Now({ session, live, title, onRetry }: NowProps): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const working = live.ending === null;
  const failure = working || live.unread ? undefined : endOf(live);
  // The text that was shown before a stop stays on the page.
  const isShown = working || live.ending === "run_cancelled";
  // The card of the approval shows its decision.
  const isButton = working && live.decision !== null && live.decision.decision !== "answered";
  const made = live.events.filter((each) => each.type === "artifact_made");
  return (
    <section className="turn">
      {live.message !== null && !isButton && <UserMessage text={live.message} files={live.files} />}
      <article className={classes("message message-agent", working && "message-working")} aria-label={title}>
        {isShown && <Steps events={live.events} live={working} node={live.node} lost={live.lost} />}
        {isShown && live.said.map((text, index) => <Markdown key={index} text={text} />)}
        {isShown && <Writing session={session} />}
        {working && made.length > 0 && (
          <p className="muted">{visible(made.map((each) => String(each.name)).join(" · "))}</p>
        )}
        {failure && <FailedTurn thread={session.id} turn={numberOf(live)} problem={failure} onRetry={onRetry} />}
        {live.unread && (
          <div className={classes("turn-problem", live.problem && "turn-failed")} role="alert">
            <p>{say.unread}</p>
            <blockquote>{visible(live.unread)}</blockquote>
            {mayWrite && (
              <Button icon={RotateCcw} onClick={onRetry} keys="r">
                {say.sendAgain}
              </Button>
            )}
          </div>
        )}
      </article>
    </section>
  );
}
