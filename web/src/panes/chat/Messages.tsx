// The messages of a conversation, older ones when scrolling up; and the turn in progress.

import "./Messages.css";
import { Copy } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { type Agent, type Branch, type WaitingFor, api } from "../../api";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { useKept, useResource } from "../../app/resource";
import { told } from "../../app/toasts";
import { Button } from "../../ui";
import { Held } from "./Held";
import { Now } from "./Now";
import { Turn } from "./Turn";
import { isOf } from "./live";
import type { Conversation, Shown } from "./session";
import { turnsOf } from "./turns";
import { words } from "./words";

const NO_BRANCHES: readonly Branch[] = [];
const NO_STEPS: readonly number[] = [];

interface Props {
  session: Conversation;
  shown: Shown;
  agent: Agent | undefined;
  scroll: RefObject<HTMLDivElement | null>;
  /** The turn whose message is being changed. */
  edited: number | null;
  onEdit(turn: number | null): void;
  onInstead(turn: number, text: string): Promise<unknown>;
  onRepeat(turn: number, text: string): void;
  onRetry(): void;
  /** The waiting question or approval; its controls are the children. */
  asks: WaitingFor | null;
  children: ReactNode;
}

export function Messages({
  session,
  shown,
  agent,
  scroll,
  edited,
  onEdit,
  onInstead,
  onRepeat,
  onRetry,
  asks,
  children,
}: Props): ReactNode {
  const say = useText(words);
  const { thread, messages, live, older, state } = shown;
  const edge = useRef<HTMLDivElement>(null);
  const height = useRef(0);

  useEffect(() => {
    const element = edge.current;
    if (!element || older === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((each) => each.isIntersecting)) return;
        height.current = scroll.current?.scrollHeight ?? 0;
        void session.loadOlder();
      },
      { root: scroll.current, rootMargin: "600px 0px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [session, older, scroll]);

  // New content above must not move the text that is being read.
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element && height.current > 0) element.scrollTop += element.scrollHeight - height.current;
    height.current = 0;
  }, [older, scroll]);

  useCommands([
    {
      id: "chat.copy",
      group: say.group,
      title: say.copyLast,
      keys: "y",
      icon: Copy,
      run: () => {
        const text = messages.findLast((each) => each.role !== "user")?.text ?? "";
        void navigator.clipboard.writeText(text).then(() => told(say.copied));
      },
    },
  ]);

  // The service has already stored a part of a turn in progress.
  const started = live?.events.find((each) => each.type === "turn_started")?.turn;
  // The content of an approval is in its card: the one that waits, or the one of the decision that is in progress.
  const isDeciding = live !== null && live.ending === null && live.decision !== null;
  const asked = (live === null || isDeciding) && state?.waiting_for?.approval ? state.waiting_for.prompt : null;
  const turns = turnsOf(live && live.ending === null ? messages.filter((each) => each.turn !== started) : messages);
  const last = turns.at(-1);
  // A turn that failed or was stopped is shown as after a reload, once the service has stored it.
  const isKept = live !== null && live.ending !== null && !live.unread && last !== undefined && isOf(live)(last);
  const now = isKept ? null : live;
  // A turn of a branch counts when it has ended.
  const branches = useResource(`branches?${session.id}&${thread?.turns ?? 0}`, () => api.branches(session.id));
  const family = useKept(branches.data?.items) ?? NO_BRANCHES;
  return (
    <div className="messages" role="log" aria-label={say.log} aria-live="off">
      <div ref={edge} />
      {older !== null && (
        <Button look="quiet" className="more" onClick={() => void session.loadOlder()}>
          {say.older}
        </Button>
      )}
      {turns.map((each, index) => (
        <Held key={each.messages[0]?.seq} messages={each.messages} always={each === last || each.turn === edited}>
          <Turn
            session={session}
            number={each.turn}
            messages={each.messages}
            decides={each.decides}
            steps={turns[index + 1]?.decides ? NO_STEPS : each.steps}
            ended={isKept && each === last ? live : null}
            title={agent?.title ?? ""}
            isLast={each === last && !now}
            asked={each === last ? asked : null}
            deciding={each === last && isDeciding ? live.decision : null}
            family={family}
            asks={each === last && !now ? asks : null}
            isEdited={each.turn === edited}
            onEdit={onEdit}
            onInstead={onInstead}
            onRepeat={onRepeat}
          >
            {each === last && !now && children}
          </Turn>
        </Held>
      ))}
      {now && <Now session={session} live={now} title={agent?.title ?? ""} onRetry={onRetry} />}
      {(now !== null || last === undefined) && children}
    </div>
  );
}
