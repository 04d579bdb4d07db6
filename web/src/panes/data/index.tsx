// The data of all conversations, or of one.

// The files look as they do below an answer.
import "../chat/chat.css";
import "./data.css";
import { ArrowLeft, MessageSquare, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { PaneProps } from "../props";
import { api } from "../../api";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { IconButton } from "../../ui";
import { withoutMarks } from "../../ui/plain";
import { All } from "./All";
import { OfThread } from "./OfThread";
import { words } from "./words";

export default function Data({ rest, beside }: PaneProps): ReactNode {
  const say = useText(words);
  const thread = rest[0] ?? "";
  const reload = () => invalidate(`data/${thread}/`);
  // Next to the chat, the key belongs to the chat.
  useCommands([
    {
      id: "data.reload",
      group: say.title,
      title: say.reload,
      ...(beside ? {} : { keys: "r" }),
      icon: RefreshCw,
      run: reload,
    },
  ]);
  return (
    <section className={beside ? "pane data-beside" : "pane"}>
      {!beside && <Head thread={thread} onReload={reload} />}
      <div className="pane-body">{thread ? <OfThread key={thread} thread={thread} /> : <All />}</div>
    </section>
  );
}

/** The bar: the conversation with a way back, or the name of the pane. */
function Head({ thread, onReload }: { thread: string; onReload(): void }): ReactNode {
  const say = useText(words);
  const found = useResource(thread ? `thread/${thread}` : null, () => api.thread(thread));
  return (
    <header className="pane-bar">
      {thread && (
        <a className="icon-button" href={hashOf("data")} aria-label={say.all} title={say.all}>
          <ArrowLeft size={16} aria-hidden />
        </a>
      )}
      <h1 className="cut">
        {say.title}
        {found.data && <span className="data-of"> {withoutMarks(found.data.title || found.data.thread)}</span>}
      </h1>
      {thread && (
        <a className="icon-button" href={hashOf("chat", [thread])} aria-label={say.open} title={say.open}>
          <MessageSquare size={16} aria-hidden />
        </a>
      )}
      <IconButton icon={RefreshCw} label={say.reload} keys="r" onClick={onReload} />
    </header>
  );
}
