// The messages of a conversation, older ones when scrolling up; and the turn in progress.

import "./Messages.css";
import { Copy, GitBranch, Pencil, RotateCcw } from "lucide-react";
import { type ReactNode, type RefObject, memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Agent, Message, RunEvent } from "../../api";
import { useMayWrite } from "../../app/access";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { useResource } from "../../app/resource";
import { told } from "../../app/toasts";
import { Age, Button, CopyButton, IconButton, classes } from "../../ui";
import { Artifacts } from "./Artifacts";
import { Markdown } from "./Markdown";
import { blocksOf } from "./blocks";
import { WithSources } from "./Sources";
import { Steps } from "./Steps";
import type { Live } from "./live";
import type { Conversation, Shown } from "./session";
import { type TurnDetails, detailsOf } from "./turn";
import { words } from "./words";
import { visible } from "../../ui/visible";

interface Props {
  session: Conversation;
  shown: Shown;
  agent: Agent | undefined;
  scroll: RefObject<HTMLDivElement | null>;
  onEdit(turn: number, text: string): void;
  onRetry(): void;
}

interface TurnMessages {
  /** 0 for the messages at the start of a branch. */
  turn: number;
  messages: Message[];
}

/** Messages by their turn, in order. */
function turnsOf(messages: readonly Message[]): TurnMessages[] {
  const turns: TurnMessages[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last && last.turn === message.turn) last.messages.push(message);
    else turns.push({ turn: message.turn, messages: [message] });
  }
  return turns;
}

export function Messages({ session, shown, agent, scroll, onEdit, onRetry }: Props): ReactNode {
  const say = useText(words);
  const { messages, live, older, state } = shown;
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
  // The content of an approval is in its card.
  const asked = live === null && state?.waiting_for?.approval ? state.waiting_for.prompt : null;
  const turns = turnsOf(live && live.ending === null ? messages.filter((each) => each.turn !== started) : messages);
  const last = turns.at(-1);
  return (
    <div className="messages" role="log" aria-label={say.log} aria-live="off">
      <div ref={edge} />
      {older !== null && (
        <Button look="quiet" className="more" onClick={() => void session.loadOlder()}>
          {say.older}
        </Button>
      )}
      {turns.map((each) => (
        <Held key={each.messages[0]?.seq} always={each === last}>
          <Turn
            thread={session.id}
            number={each.turn}
            messages={each.messages}
            title={agent?.title ?? ""}
            isLast={each === last && !live}
            asked={each === last ? asked : null}
            onEdit={onEdit}
            onRetry={onRetry}
          />
        </Held>
      ))}
      {live && (
        <Now
          live={live}
          stored={live.ending === null ? null : (turns.find(isOf(live))?.messages ?? null)}
          title={agent?.title ?? ""}
          onRetry={onRetry}
        />
      )}
    </div>
  );
}

interface TurnProps {
  thread: string;
  number: number;
  messages: Message[];
  title: string;
  isLast: boolean;
  /** A question that is shown elsewhere. */
  asked: string | null;
  onEdit(turn: number, text: string): void;
  onRetry(): void;
}

/** Whether two lists have the same messages: an unchanged turn is not drawn again. */
const sameTurn = (one: TurnProps, other: TurnProps): boolean =>
  one.isLast === other.isLast &&
  one.asked === other.asked &&
  one.title === other.title &&
  one.messages.length === other.messages.length &&
  one.messages.every((message, index) => message === other.messages[index]);

const Turn = memo(function Turn({
  thread,
  number,
  messages,
  title,
  isLast,
  asked,
  onEdit,
  onRetry,
}: TurnProps): ReactNode {
  const say = useText(words);
  const mayRepeat = useMayWrite() && number > 0;
  const section = useRef<HTMLElement>(null);
  // A turn that was interrupted and finished later has more details than before.
  const { events, sources } = useDetails(thread, number, messages.at(-1)?.seq ?? 0, section, isLast);
  const said = messages.find((each) => each.role === "user");
  const replies = messages.filter((each) => each.role !== "user");
  const artifacts = messages.flatMap((each) => each.artifacts ?? []);
  return (
    <section ref={section} className="turn">
      {said && (
        <UserMessage text={said.text} time={said.time} files={filesIn(events)}>
          {mayRepeat && isLast && <IconButton icon={RotateCcw} label={say.retry} keys="r" onClick={onRetry} />}
          {mayRepeat && (
            <IconButton
              icon={isLast ? Pencil : GitBranch}
              label={say.edit}
              keys={isLast ? "e" : undefined}
              onClick={() => onEdit(number, said.text)}
            />
          )}
          <CopyButton text={said.text} />
        </UserMessage>
      )}
      {replies.length > 0 && (
        <article className="message message-agent" aria-label={title}>
          <div className="past-steps">{events.length > 0 && <Steps events={events} />}</div>
          <WithSources sources={sources}>
            {replies.map((each) => each.text !== asked && <Markdown key={each.seq} text={each.text} />)}
          </WithSources>
          {artifacts.length > 0 && <Artifacts thread={thread} artifacts={artifacts} />}
          <div className="message-actions" hidden={replies.every((each) => each.text === asked)}>
            {replies[0] && <Age of={replies[0].time} />}
            <CopyButton text={replies.map((each) => each.text).join("\n\n")} />
          </div>
        </article>
      )}
    </section>
  );
}, sameTurn);

function UserMessage({
  text,
  time,
  files,
  children,
}: {
  text: string;
  time?: string;
  files?: string[];
  children?: ReactNode;
}): ReactNode {
  const say = useText(words);
  return (
    <article className="message message-user" aria-label={say.you}>
      {children && (
        <div className="message-actions">
          {time && <Age of={time} />}
          {children}
        </div>
      )}
      <div className="bubble">
        {visible(text)}
        {files && files.length > 0 && <div className="bubble-files">{visible(files.join(" · "))}</div>}
      </div>
    </article>
  );
}

/** The trace of a finished turn, requested when it has been in view for a moment. */
function useDetails(
  thread: string,
  turn: number,
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
  const key = seen && turn > 0 ? `turn?${thread}&${turn}&${last}` : null;
  return useResource(key, () => detailsOf(thread, turn)).data ?? NOTHING;
}

const filesIn = (events: readonly RunEvent[]): string[] =>
  events.filter((each) => each.type === "file_given").map((each) => String(each.name));

const NOTHING: TurnDetails = { events: [], sources: [] };

const AWAY = "2500px"; // distance from the view beyond which turns are not kept in the page

/** Replaces content far from the view by an empty place of the same height, so that a long conversation stays fast. */
function Held({ children, always }: { children: ReactNode; always: boolean }): ReactNode {
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
    <div ref={ref} className="turn-place" style={isHeld ? undefined : { height: away }}>
      {isHeld && children}
    </div>
  );
}

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

/** Whether a turn has the message of the followed one: an interrupted turn may have stored nothing. */
const isOf = (live: Live) => (turn: TurnMessages) =>
  turn.turn === live.events.find((each) => each.type === "turn_started")?.turn &&
  turn.messages.some((each) => each.role === "user" && each.text === live.message);

function whatOf(live: Live, problem: string | undefined, say: (typeof words)["en"]): string {
  if (live.ending === "run_cancelled") return say.stopped;
  return live.unread ? say.unread : (problem ?? say.failed);
}

/** A text that is being written: only its last block is parsed again when it grows. */
function Writing({ text }: { text: string }): ReactNode {
  return (
    <div className="writing">
      {blocksOf(text).map((block, index) => (
        <Markdown key={index} text={block} />
      ))}
    </div>
  );
}

interface NowProps {
  live: Live;
  /** The messages of the turn that are already shown above; null for none. */
  stored: Message[] | null;
  title: string;
  onRetry(): void;
}

/** The turn in progress, or the one that did not finish. */
function Now({ live, stored, title, onRetry }: NowProps): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const working = live.ending === null;
  const problem = live.problem && wordsOf(live.problem);
  // The text that was shown before a stop stays on the page.
  const isShown = working || live.ending === "run_cancelled";
  const said = live.said.filter((text) => !stored?.some((each) => each.text === text));
  const made = live.events.filter((each) => each.type === "artifact_made");
  return (
    <section className="turn">
      {live.message !== null && !stored && <UserMessage text={live.message} files={live.files} />}
      <article className={classes("message message-agent", working && "message-working")} aria-label={title}>
        {working && <Steps events={live.events} live node={live.node} lost={live.lost} />}
        {isShown && said.map((text, index) => <Markdown key={index} text={text} />)}
        {isShown && live.writing && <Writing text={live.writing} />}
        {working && made.length > 0 && (
          <p className="muted">{visible(made.map((each) => String(each.name)).join(" · "))}</p>
        )}
        {!working && (
          <div className={classes("turn-problem", live.problem && "turn-failed")} role="alert">
            <p>{visible(whatOf(live, problem?.text, say))}</p>
            {live.unread && <blockquote>{visible(live.unread)}</blockquote>}
            {problem?.more && <p className="muted">{visible(problem.more)}</p>}
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
