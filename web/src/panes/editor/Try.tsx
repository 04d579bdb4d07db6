// Try it: a conversation with the draft next to the canvas, which shows its way.

import "./try.css";
import {
  BookmarkPlus,
  CircleStop,
  LoaderCircle,
  MessageSquarePlus,
  MessagesSquare,
  Play,
  SendHorizontal,
} from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useText } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { createStore, useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import { Button, Empty, Failure, IconButton, Loading } from "../../ui";
import { visible } from "../../ui/visible";
import { Markdown } from "../chat/Markdown";
import { Recorded } from "../chat/Recorded";
import { Waiting } from "../chat/Waiting";
import type { Shown } from "../chat/session";
import { Record } from "./Record";
import { RunTo } from "./RunTo";
import type { Trial } from "./trial";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const NOTHING = createStore<Shown | null>(null);

interface Props {
  trial: Trial;
  /** The name of the test that is recorded again; empty for none. */
  again: string;
  /** A test was recorded again, or not. */
  onRecorded(): void;
}

export function Try({ trial, again, onRecorded }: Props): ReactNode {
  const session = useSession();
  const { checked, checkedText, text, saving, selection } = useSessionState();
  const say = useText(words);
  const { conversation } = trial;
  const shown = useStore<Shown | null>(conversation?.shown ?? NOTHING);
  const end = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [recording, setRecording] = useState(false);
  // A test is recorded again by a conversation that begins after that.
  const [earlier, setEarlier] = useState(again ? conversation?.id : undefined);
  const [asked, setAsked] = useState(again);
  if (asked !== again) {
    setAsked(again);
    setEarlier(again ? conversation?.id : undefined);
  }
  // Until a new conversation has begun, a message would reach the one that it replaces.
  const [beginning, setBeginning] = useState(false);
  const busy = beginning || (shown?.live != null && shown.live.ending === null);
  useEffect(() => void end.current?.scrollIntoView({ block: "nearest" }), [shown]);

  if (trial.error !== undefined) return <Failure error={trial.error} />;
  if (!trial.ready) return <Loading />;
  const hasErrors = checkedText === text && checked !== null && !checked.ok;
  const why = hasErrors
    ? say.tryErrors
    : saving === "conflict"
      ? say.conflict
      : saving === "offline"
        ? say.offline
        : "";
  const turn = async (fresh: boolean, message: string | null): Promise<boolean> => {
    const begins = fresh || !conversation;
    setBeginning(begins);
    try {
      const now = begins ? await trial.begin() : conversation;
      return await now.say(message);
    } catch (error) {
      failed(error);
      return false;
    } finally {
      setBeginning(false);
    }
  };
  const waiting = busy ? null : (shown?.state?.waiting_for ?? null);
  return (
    <div className="try">
      <div className="editor-row try-head">
        <Button
          icon={conversation ? MessageSquarePlus : Play}
          look={conversation ? "plain" : "primary"}
          disabled={Boolean(why) || busy || !session.mayEdit}
          onClick={() => void turn(true, null)}
        >
          {conversation ? say.tryAgain : say.tryBegin}
        </Button>
        {conversation && (
          <Button icon={BookmarkPlus} disabled={busy || conversation.id === earlier} onClick={() => setRecording(true)}>
            {again ? say.replaceTest(visible(again)) : say.record}
          </Button>
        )}
      </div>
      {again && <p className="try-again">{say.recordAgainWhat(visible(again))}</p>}
      <RunTo trial={trial} disabled={Boolean(why) || busy || !session.mayEdit} />
      {recording && conversation && (
        <Record
          agent={session.agent}
          thread={conversation.id}
          replaces={again}
          onClose={() => {
            setRecording(false);
            onRecorded();
          }}
        />
      )}
      <div className="try-log" role="log" aria-label={say.try} tabIndex={0}>
        {conversation && shown ? (
          <Talk shown={shown} asked={waiting?.approval ? waiting.prompt : null} />
        ) : (
          <Empty icon={MessagesSquare} title={say.tryTitle}>
            <p>{say.tryWhat}</p>
            {selection?.kind !== "nodes" && <p>{say.runToWhat}</p>}
          </Empty>
        )}
        {conversation && waiting && (
          <Waiting
            key={`${waiting.node}${waiting.approval?.hash ?? waiting.prompt}`}
            waiting={waiting}
            session={conversation}
            onChange={() => box.current?.focus()}
            onGone={() => box.current?.focus()}
          />
        )}
        {!busy && <Recorded events={trial.events} />}
        {shown?.state?.status === "ended" && !busy && <p className="try-ended">{say.tryEnded}</p>}
        <div ref={end} />
      </div>
      {why && (
        <p className="warn" role="status">
          {why}
        </p>
      )}
      {session.mayEdit && (
        <Composer
          box={box}
          busy={busy}
          disabled={Boolean(why)}
          onSend={(message) => turn(false, message)}
          onStop={() => void conversation?.stop()}
        />
      )}
    </div>
  );
}

interface TalkProps {
  shown: Shown;
  /** The question of an approval: its card shows it, the messages do not repeat it. */
  asked: string | null;
}

/** The messages, the turn in progress, and why the last one failed. */
function Talk({ shown, asked }: TalkProps): ReactNode {
  const say = useText(words);
  const { live, error } = shown;
  const last = shown.messages.at(-1);
  const isAsked = asked !== null && last?.role === "assistant" && last.text.trim() === asked.trim();
  const messages = isAsked ? shown.messages.slice(0, -1) : shown.messages;
  const problem = live?.problem ? wordsOf(live.problem) : null;
  const stored = live?.ending != null;
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {messages.map((each) => (
        <Said key={each.seq} from={each.role} text={each.text} />
      ))}
      {live && !stored && live.message !== null && <Said from="user" text={live.message} />}
      {live &&
        !stored &&
        live.said
          .filter((each) => each.trim() !== asked?.trim())
          .map((each, index) => <Said key={index} from="assistant" text={each} />)}
      {live?.writing && <Said from="assistant" text={live.writing} />}
      {live && !stored && (
        <p className="faint try-now" role="status">
          <LoaderCircle className="spin" size={14} aria-hidden />
          {live.node ? say.tryAt(visible(live.node)) : say.checking}
        </p>
      )}
      {live?.ending === "run_cancelled" && <p className="warn">{say.tryStopped}</p>}
      {problem && (
        <div className="failure" role="alert">
          <p>{visible(problem.text)}</p>
          {problem.more && <p className="muted">{visible(problem.more)}</p>}
        </div>
      )}
    </>
  );
}

function Said({ from, text }: { from: string; text: string }): ReactNode {
  return from === "user" ? (
    <div className="try-user">{visible(text)}</div>
  ) : (
    <div className="try-agent">
      <Markdown text={text} />
    </div>
  );
}

interface ComposerProps {
  box: React.RefObject<HTMLTextAreaElement | null>;
  busy: boolean;
  disabled: boolean;
  onSend(message: string): Promise<boolean>;
  onStop(): void;
}

function Composer({ box, busy, disabled, onSend, onStop }: ComposerProps): ReactNode {
  const say = useText(words);
  const [message, setMessage] = useState("");
  const [due, setDue] = useState(false);
  const send = async () => {
    const text = message.trim();
    if (!text || disabled) return;
    setDue(busy);
    if (busy) return;
    setMessage("");
    // A message that was not taken is not lost.
    if (!(await onSend(text))) setMessage((now) => now || text);
  };
  useEffect(() => {
    // A message that was written during a turn is sent at its end.
    if (due && !busy) void send();
  });
  return (
    <form
      className="try-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={box}
        rows={2}
        value={message}
        aria-label={say.tryMessage}
        placeholder={say.tryMessage}
        onChange={(event) => {
          setMessage(event.target.value);
          setDue(false);
        }}
        onKeyDown={(event) => {
          // Enter that ends the composition of a word; Safari reports it only by this key code.
          const composing = event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229;
          if (event.key !== "Enter" || event.shiftKey || composing) return;
          event.preventDefault();
          void send();
        }}
      />
      {due && (
        <p className="faint" role="status">
          {say.tryDue}
        </p>
      )}
      {busy ? (
        <IconButton icon={CircleStop} label={say.stop} onClick={onStop} />
      ) : (
        <IconButton icon={SendHorizontal} label={say.trySend} type="submit" disabled={disabled || !message.trim()} />
      )}
    </form>
  );
}
