// A conversation: its head, its messages, what waits for the user, the composer; and a new conversation.

import "./Conversation.css";
import { ArrowDown, Download, PanelLeft, Pencil, RotateCcw, Trash2, Upload } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { type Agent, Problem, address, api, download } from "../../api";
import { usePanes } from "..";
import { useMayWrite } from "../../app/access";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { NodeNames, useNamesOf } from "../../app/nodes";
import { invalidate } from "../../app/resource";
import { go, hashOf, usePlace } from "../../app/router";
import { kept } from "../../app/storage";
import { useStore } from "../../app/store";
import { failed, told } from "../../app/toasts";
import { Badge, Button, Dialog, Failure, IconButton, Skeleton } from "../../ui";
import { AgentPicker, ModelBadge } from "./AgentPicker";
import { Announcer } from "./Announcer";
import { Composer, attach } from "./Composer";
import { CutShort, Messages } from "./Messages";
import { StatusSign } from "./ThreadList";
import { Waiting } from "./Waiting";
import { Conversation as Session, beginThread, isCutShort } from "./session";
import { words } from "./words";
import { visible } from "../../ui/visible";

interface Props {
  agents: Agent[];
  onToggleList(): void;
}

const CHOSEN = "graphwright.agent";
const LONGEST_TITLE = 200; // characters, as in the service

/** A conversation that does not exist yet: it is created with its first message. */
export function Unbegun({ agents, onToggleList }: Props): ReactNode {
  const say = useText(words);
  const [chosen, setChosen] = useState(() => {
    const last = kept.get(CHOSEN);
    return agents.find((each) => each.name === last)?.name ?? agents[0]?.name ?? "";
  });
  const box = useRef<HTMLTextAreaElement>(null);
  const start = useRef<HTMLButtonElement>(null);
  const agent = agents.find((each) => each.name === chosen);
  const begin = async (message: string | null, files: { id: string; name: string }[]) => {
    try {
      const { thread } = await api.createThread(chosen, message);
      await beginThread(thread, message, files);
      invalidate("threads?");
      go(hashOf("chat", [thread]));
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  };
  useCommands([
    { id: "chat.write", group: say.group, title: say.focus, keys: "i", run: () => box.current?.focus() },
    {
      id: "chat.start",
      group: say.group,
      title: say.start,
      keys: "s",
      run: () => void begin(null, []),
      button: () => start.current,
    },
  ]);
  return (
    <section className="conversation" aria-label={say.newThread} {...useDrop(agent?.takes_files ?? false)}>
      <header className="pane-bar">
        <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={onToggleList} />
        <h1 className="cut">{say.newThread}</h1>
      </header>
      <div className="conversation-scroll">
        <div className="conversation-column">
          <AgentPicker
            agents={agents}
            chosen={chosen}
            onChoose={(name) => {
              kept.set(CHOSEN, name);
              setChosen(name);
            }}
          />
          <Button ref={start} className="begin" onClick={() => void begin(null, [])} keys="s">
            {say.start}
          </Button>
        </div>
      </div>
      <footer className="conversation-foot">
        <Composer
          thread=""
          box={box}
          placeholder={say.write(agent?.title ?? "")}
          takesFiles={agent?.takes_files ?? false}
          busy={false}
          onSend={begin}
          onStop={() => undefined}
        />
      </footer>
    </section>
  );
}

export function Opened({ thread: id, agents, onToggleList }: Props & { thread: string }): ReactNode {
  const say = useText(words);
  const panes = usePanes();
  const mayWrite = useMayWrite();
  const place = usePlace();
  const [session] = useState(() => new Session(id));
  const shown = useStore(session.shown);
  useEffect(() => session.open(), [session]);
  const box = useRef<HTMLTextAreaElement>(null);
  const toBox = useCallback(() => box.current?.focus(), []);
  const scroll = useRef<HTMLDivElement>(null);
  const { follows, toEnd } = useFollowing(scroll, shown);
  const [dialog, setDialog] = useState<"rename" | "delete" | { edit: number; text: string } | null>(null);

  const { thread, state, live } = shown;
  const agent = agents.find((each) => each.name === thread?.agent);
  const takesFiles = mayWrite && (agent?.takes_files ?? false);
  const title = visible(thread?.title || say.untitled);
  const busy = live !== null && live.ending === null;
  const waiting = busy ? null : (state?.waiting_for ?? null);
  // The messages at the start of a branch are not a turn that can be repeated.
  const said = shown.messages.findLast((each) => each.role === "user");
  const lastSaid = said && said.turn > 0 ? said : undefined;

  const names = useNamesOf(thread?.agent ?? "");
  const cutShort = isCutShort(shown);
  const retry = () => session.retry();
  const exportAs = (format: "markdown" | "json") =>
    void download(
      address(`threads/${encodeURIComponent(id)}/export`, { format }),
      `${visible(thread?.title || id)}.${format === "json" ? "json" : "md"}`,
    ).catch(failed);
  const actions = [
    ...(mayWrite
      ? [{ id: "chat.rename", title: say.rename, keys: "f2", icon: Pencil, run: () => setDialog("rename") }]
      : []),
    { id: "chat.export", title: say.exportMarkdown, keys: "shift+e", icon: Download, run: () => exportAs("markdown") },
    { id: "chat.exportJson", title: say.exportJson, keys: "shift+s", icon: Download, run: () => exportAs("json") },
    ...(mayWrite
      ? [
          {
            id: "chat.delete",
            title: say.delete,
            keys: "shift+backspace",
            icon: Trash2,
            run: () => setDialog("delete"),
          },
        ]
      : []),
  ];
  useCommands([
    ...actions.map((each) => ({ ...each, group: say.group })),
    ...(mayWrite
      ? [{ id: "chat.write", group: say.group, title: say.focus, keys: "i", run: () => box.current?.focus() }]
      : []),
    { id: "chat.latest", group: say.group, title: say.latest, keys: "shift+g", icon: ArrowDown, run: toEnd },
    ...(busy && mayWrite
      ? [
          {
            id: "chat.stop",
            group: say.group,
            title: say.stop,
            keys: "escape",
            // Escape leaves the next message, which is being written.
            isHeld: () => Boolean(box.current?.value.trim()),
            run: () => void session.stop(),
          },
        ]
      : []),
    ...(!busy && mayWrite && (cutShort || live || lastSaid)
      ? [
          {
            id: "chat.retry",
            group: say.group,
            title: cutShort ? say.finish : say.retry,
            keys: "r",
            icon: RotateCcw,
            run: retry,
            button: () => [...document.querySelectorAll<HTMLElement>('.conversation [aria-keyshortcuts="R"]')].at(-1),
          },
        ]
      : []),
    ...(!busy && mayWrite && lastSaid
      ? [
          {
            id: "chat.edit",
            group: say.group,
            title: say.edit,
            keys: "e",
            icon: Pencil,
            run: () => setDialog({ edit: lastSaid.turn, text: lastSaid.text }),
          },
        ]
      : []),
    ...(takesFiles
      ? [
          {
            id: "chat.attach",
            group: say.group,
            title: say.attach,
            keys: "u",
            icon: Upload,
            run: () => document.querySelector<HTMLElement>(".attach")?.click(),
          },
        ]
      : []),
  ]);
  const drop = useDrop(takesFiles);

  if (shown.error !== undefined && !thread) {
    const gone = shown.error instanceof Problem && shown.error.status === 404;
    return (
      <section className="conversation" aria-label={say.gone}>
        <header className="pane-bar">
          <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={onToggleList} />
        </header>
        <Failure error={gone ? new Error(say.gone) : shown.error} />
      </section>
    );
  }
  const closed = busy
    ? say.working
    : waiting?.approval
      ? say.writeChange
      : waiting && waiting.kind !== "message"
        ? say.writeAnswer
        : "";
  return (
    <section className="conversation" aria-label={title} aria-busy={busy} {...drop}>
      <header className="pane-bar">
        <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={onToggleList} />
        <h1 className="cut">{thread ? title : ""}</h1>
        {thread && <StatusSign status={busy ? "running" : thread.status} />}
        {agent && (
          <span className="head-facts">
            <Badge>{agent.title}</Badge>
            <ModelBadge model={agent.model} />
          </span>
        )}
        {panes
          .filter((each) => each.ofThread && each.name !== "chat")
          .map((each) => {
            const open = place.query.get("beside") === each.name;
            return (
              <IconButton
                key={each.name}
                icon={each.icon}
                label={each.title}
                {...(each.key ? { keys: `b ${each.key}` } : {})}
                aria-pressed={open}
                onClick={() => go(hashOf("chat", [id], open ? {} : { beside: each.name }))}
              />
            );
          })}
        {actions
          .filter((each) => each.id !== "chat.exportJson")
          .map((each) => (
            <IconButton
              key={each.id}
              icon={each.icon}
              label={each.title}
              keys={each.keys}
              onClick={each.run}
              className="head-action"
            />
          ))}
      </header>
      <div className="conversation-scroll" ref={scroll}>
        <div className="conversation-column">
          {!thread && <Skeleton lines={5} />}
          <NodeNames value={names}>
            <Messages
              session={session}
              shown={shown}
              agent={agent}
              onEdit={(turn, text) => setDialog({ edit: turn, text })}
              onRetry={retry}
              scroll={scroll}
            />
          </NodeNames>
          <Announcer shown={shown} />
          {cutShort && <CutShort onFinish={retry} />}
          {waiting && (
            <Waiting
              key={`${waiting.node}${waiting.approval?.hash ?? state?.waiting_for?.prompt}`}
              waiting={waiting}
              session={session}
              onChange={toBox}
              onGone={toBox}
            />
          )}
        </div>
      </div>
      {!follows && <IconButton icon={ArrowDown} label={say.latest} keys="shift+g" className="to-end" onClick={toEnd} />}
      {mayWrite && (
        <footer className="conversation-foot">
          <Composer
            thread={id}
            box={box}
            placeholder={closed || (thread?.status === "ended" ? say.writeAgain : say.write(agent?.title ?? ""))}
            takesFiles={takesFiles}
            busy={busy}
            disabled={!thread}
            onSend={(text, files) => session.say(text, files)}
            onStop={() => void session.stop()}
          />
        </footer>
      )}
      {dialog === "rename" && thread && (
        <Ask
          title={say.rename}
          label={say.title}
          value={thread.title}
          most={LONGEST_TITLE}
          action={say.save}
          onClose={() => setDialog(null)}
          onDone={async (title) => {
            await api.renameThread(id, title);
            session.rename(title);
            invalidate("threads?");
          }}
        />
      )}
      {dialog === "delete" && (
        <Dialog title={say.deleteTitle} onClose={() => setDialog(null)}>
          <div className="dialog-content">
            <p className="muted">{say.deleteText}</p>
            <div className="dialog-actions">
              <Button onClick={() => setDialog(null)}>{say.cancel}</Button>
              <Button
                look="danger"
                autoFocus
                onClick={() =>
                  void api.deleteThread(id).then(() => {
                    invalidate("threads?");
                    told(say.deleted);
                    go(hashOf("chat"));
                  }, failed)
                }
              >
                {say.delete}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
      {dialog !== null && typeof dialog === "object" && (
        <Ask
          title={say.editTitle}
          note={say.editText}
          label={say.message}
          value={dialog.text}
          action={say.branch}
          long
          onClose={() => setDialog(null)}
          onDone={async (message) => {
            const branch = await session.branchBefore(dialog.edit, message);
            await beginThread(branch, message);
            invalidate("threads?");
            told(say.branched);
            go(hashOf("chat", [branch]));
          }}
        />
      )}
    </section>
  );
}

/** A dialog that asks for one text. */
function Ask(props: {
  title: string;
  note?: string;
  label: string;
  value: string;
  action: string;
  long?: boolean;
  /** The maximum number of characters. */
  most?: number;
  onClose(): void;
  onDone(value: string): Promise<void>;
}): ReactNode {
  const say = useText(words);
  const [value, setValue] = useState(props.value);
  const [busy, setBusy] = useState(false);
  const done = () => {
    setBusy(true);
    props.onDone(value.trim()).then(props.onClose, (error: unknown) => {
      setBusy(false);
      failed(error);
    });
  };
  const field = {
    value,
    autoFocus: true,
    maxLength: props.most,
    onChange: (event: { target: { value: string } }) => setValue(event.target.value),
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        className="dialog-content"
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        {props.note && <p className="muted">{props.note}</p>}
        <label className="field">
          <span>{props.label}</span>
          {props.long ? <textarea rows={5} {...field} /> : <input {...field} />}
        </label>
        <div className="dialog-actions">
          <Button onClick={props.onClose}>{say.cancel}</Button>
          <Button look="primary" type="submit" busy={busy} disabled={!value.trim()}>
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Files dropped anywhere on the conversation are attached. */
function useDrop(takesFiles: boolean) {
  const say = useText(words);
  const [over, setOver] = useState(false);
  const hasFiles = (event: React.DragEvent) => event.dataTransfer.types.includes("Files");
  return {
    "data-drop": over ? say[takesFiles ? "drop" : "takesNone"] : undefined,
    onDragOver: (event: React.DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: React.DragEvent) =>
      !event.currentTarget.contains(event.relatedTarget as Node) && setOver(false),
    onDrop: (event: React.DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (takesFiles) attach(event.dataTransfer.files);
      else told(say.takesNone);
    },
  };
}

const NEAR = 80; // px from the end: nearer users follow new content

/** Stays at the end while the user is there, and does not scroll if the user has scrolled up. */
function useFollowing(scroll: React.RefObject<HTMLDivElement | null>, what: unknown) {
  const [follows, setFollows] = useState(true);
  const wanted = useRef(true);
  useEffect(() => {
    const element = scroll.current;
    if (!element) return;
    let top = 0;
    const onScroll = () => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // New content below moves the end away; only scrolling up means that the user wants to stay.
      if (isNear || element.scrollTop < top) wanted.current = isNear;
      top = element.scrollTop;
      setFollows(wanted.current);
    };
    const stay = () => {
      if (wanted.current) element.scrollTop = element.scrollHeight;
    };
    const observer = new ResizeObserver(() => {
      stay();
      onScroll();
    });
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [scroll]);
  useEffect(() => {
    const element = scroll.current;
    if (element && wanted.current) element.scrollTop = element.scrollHeight;
  }, [scroll, what]);
  const toEnd = () => {
    wanted.current = true;
    scroll.current?.scrollTo({ top: scroll.current.scrollHeight });
  };
  return { follows, toEnd };
}
