// The turn in progress, or one that was interrupted.

import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import type { Message } from "../../api";
import { useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { useStore } from "../../app/store";
import { Button, classes } from "../../ui";
import { visible } from "../../ui/visible";
import { FailedTurn } from "./FailedTurn";
import { Markdown } from "./Markdown";
import { Steps } from "./Steps";
import { UserMessage } from "./Turn";
import { blocksOf } from "./blocks";
import type { Live } from "./live";
import type { Conversation } from "./session";
import type { TurnMessages } from "./turns";
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

/** The number of the turn, once the service has begun it. */
export const numberOf = (live: Live): number | undefined =>
  live.events.find((each) => each.type === "turn_started")?.turn;

/** Whether a turn has the message of the followed one: an interrupted turn may have stored nothing. */
export const isOf = (live: Live) => (turn: TurnMessages) =>
  turn.turn === numberOf(live) && turn.messages.some((each) => each.role === "user" && each.text === live.message);

function whatOf(live: Live, say: (typeof words)["en"]): string {
  if (live.ending === "run_cancelled") return say.stopped;
  return live.unread ? say.unread : say.failed;
}

/** The text that is being written: only its last block is parsed again when it grows. */
function Writing({ session }: { session: Conversation }): ReactNode {
  const text = useStore(session.writing);
  if (!text) return null;
  return (
    <div className="writing">
      {blocksOf(text).map((block, index) => (
        <Markdown key={index} text={block} />
      ))}
    </div>
  );
}

interface NowProps {
  session: Conversation;
  live: Live;
  /** The messages of the turn that are already shown above; null for none. */
  stored: Message[] | null;
  title: string;
  onRetry(): void;
}

/** The turn in progress, or the one that did not finish. */
export function Now({ session, live, stored, title, onRetry }: NowProps): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const working = live.ending === null;
  const number = numberOf(live);
  const failure = working || live.unread || live.ending === "run_cancelled" ? null : live.problem;
  // The text that was shown before a stop stays on the page.
  const isShown = working || live.ending === "run_cancelled";
  const said = live.said.filter((text) => !stored?.some((each) => each.text === text));
  // The card of the approval shows its decision.
  const isButton = working && live.decision !== null && live.decision.decision !== "answered";
  const made = live.events.filter((each) => each.type === "artifact_made");
  return (
    <section className="turn">
      {live.message !== null && !stored && !isButton && <UserMessage text={live.message} files={live.files} />}
      <article className={classes("message message-agent", working && "message-working")} aria-label={title}>
        {isShown && <Steps events={live.events} live={working} node={live.node} lost={live.lost} />}
        {isShown && said.map((text, index) => <Markdown key={index} text={text} />)}
        {isShown && <Writing session={session} />}
        {working && made.length > 0 && (
          <p className="muted">{visible(made.map((each) => String(each.name)).join(" · "))}</p>
        )}
        {failure && <FailedTurn thread={session.id} turn={number} problem={failure} onRetry={onRetry} />}
        {!working && !failure && (
          <div className={classes("turn-problem", live.problem && "turn-failed")} role="alert">
            <p>{visible(whatOf(live, say))}</p>
            {live.unread && <blockquote>{visible(live.unread)}</blockquote>}
            {mayWrite && (
              <Button icon={RotateCcw} onClick={onRetry} keys="r">
                {live.unread ? say.sendAgain : say.retry}
              </Button>
            )}
          </div>
        )}
      </article>
    </section>
  );
}
