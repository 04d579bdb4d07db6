// The open conversation: its head, its messages, what waits for the user, and the composer.

import "./Conversation.css";
import { ArrowDown, PanelLeft } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Agent } from "../../api";
import { useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { NodeNames, useNamesOf } from "../../app/nodes";
import { invalidate } from "../../app/resource";
import { go, hashOf, usePlace } from "../../app/router";
import { useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import { Failure, IconButton, Skeleton } from "../../ui";
import { withoutMarks } from "../../ui/plain";
import { Announcer } from "./Announcer";
import { Composer } from "./Composer";
import { Head } from "./Head";
import { Messages } from "./Messages";
import { CutShort } from "./Now";
import { Queue } from "./Queue";
import { Waiting, hasControls } from "./Waiting";
import { UnsentTurns } from "./UnsentTurns";
import { useConversationCommands } from "./conversationCommands";
import { useDrop, useFollowing } from "./following";
import { Conversation as Session, type Shown, isCutShort } from "./session";
import { useThreadActions } from "./threadActions";
import { useGoal } from "./useGoal";
import { words } from "./words";
import { ModelChoice } from "./ModelChoice";

interface Props {
  thread: string;
  agents: Agent[];
  onToggleList(): void;
}

export function Opened({ thread: id, agents, onToggleList }: Props): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [session] = useState(() => new Session(id));
  const shown = useStore(session.shown);
  useEffect(() => session.open(), [session]);
  const box = useRef<HTMLTextAreaElement>(null);
  const toBox = useCallback(() => box.current?.focus(), []);
  const scroll = useRef<HTMLDivElement>(null);
  const [edited, setEdited] = useState<number | null>(null);

  const { thread, state, live } = shown;
  const busy = live !== null && live.ending === null;
  const { follows, toEnd, leave } = useFollowing(scroll, shown, busy);
  useGoal(session, scroll, usePlace().query, leave);
  const agent = agents.find((each) => each.name === thread?.agent);
  const takesFiles = mayWrite && (agent?.takes_files ?? false);
  const waiting = busy ? null : (state?.waiting_for ?? null);
  const names = useNamesOf(thread?.agent ?? "");
  const { actions, dialog } = useThreadActions(thread, (change) => session.alter(change));
  const drop = useDrop(takesFiles);

  /** Says a message again, or another one in its place: in a branch, which takes the place of this conversation. */
  const instead = async (turn: number, message: string) => {
    const branch = await session.branchBefore(turn, message);
    invalidate("threads?");
    invalidate("branches?");
    go(hashOf("chat", [branch]), { replace: true });
  };
  const latest = useRef(instead);
  useEffect(() => {
    latest.current = instead;
  });
  const sayInstead = useCallback((turn: number, text: string) => latest.current(turn, text), []);
  const repeat = useCallback((turn: number, text: string) => void sayInstead(turn, text).catch(failed), [sayInstead]);
  const retry = useCallback(() => session.retry(), [session]);
  useConversationCommands({ shown, session, box, toEnd, actions, takesFiles, onEdit: setEdited, onRepeat: repeat });

  if (shown.error !== undefined && !thread) {
    return (
      <section className="conversation" aria-label={say.untitled}>
        <header className="pane-bar">
          <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={onToggleList} />
        </header>
        <Failure error={shown.error} />
        <UnsentTurns session={session} shown={shown} onGone={toBox} />
      </section>
    );
  }
  return (
    <section
      className="conversation"
      aria-label={withoutMarks(thread?.title || say.untitled)}
      aria-busy={busy || !thread}
      {...drop}
    >
      <Head session={session} shown={shown} agent={agent} actions={actions} onToggleList={onToggleList} />
      <div className="conversation-scroll" ref={scroll}>
        <div className="conversation-column">
          {!thread && <Skeleton lines={5} />}
          <NodeNames value={names}>
            <Messages
              session={session}
              shown={shown}
              agent={agent}
              edited={edited}
              onEdit={setEdited}
              onInstead={sayInstead}
              onRepeat={repeat}
              onRetry={retry}
              scroll={scroll}
              asks={waiting}
            >
              {waiting && (
                <Waiting
                  key={`${waiting.node}${waiting.approval?.hash ?? waiting.prompt}`}
                  waiting={waiting}
                  session={session}
                  onChange={toBox}
                  onGone={toBox}
                />
              )}
            </Messages>
          </NodeNames>
          <UnsentTurns session={session} shown={shown} onGone={toBox} />
          <Announcer shown={shown} />
          {isCutShort(shown) && <CutShort onFinish={retry} />}
        </div>
      </div>
      {!follows && <IconButton icon={ArrowDown} label={say.latest} keys="shift+g" className="to-end" onClick={toEnd} />}
      {mayWrite && (
        <footer className="conversation-foot">
          <Queue session={session} shown={shown} />
          <Composer
            thread={id}
            box={box}
            placeholder={placeholder(shown, busy, agent?.title ?? "", say)}
            takesFiles={takesFiles}
            busy={busy}
            disabled={!thread}
            onSend={(text, files) => session.say(text, files)}
            onStop={() => void session.stop()}
          >
            {thread && (
              <ModelChoice model={thread.model} onChoose={(model) => void session.alter({ model }).catch(failed)} />
            )}
          </Composer>
        </footer>
      )}
      {dialog}
    </section>
  );
}

/** The placeholder of the composer. */
function placeholder({ state, thread }: Shown, busy: boolean, title: string, say: (typeof words)["en"]): string {
  if (busy) return say.writeNext;
  const waiting = state?.waiting_for;
  if (waiting?.approval) return say.writeChange;
  if (waiting && waiting.kind !== "message") return hasControls(waiting) ? say.writeInstead : say.writeAnswer;
  return thread?.status === "ended" ? say.writeAgain : say.write(title);
}
