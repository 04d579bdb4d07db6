// A conversation in the list: its agent, its title, its state, and where a search found its words.

import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import type { Agent, Thread } from "../../api";
import { api } from "../../api";
import { useText } from "../../app/language";
import { invalidate } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Age, IconButton, Marked, Menu } from "../../ui";
import { visible } from "../../ui/visible";
import { AgentTile } from "./agentLook";
import { plainLine, saysMore, snippet, withoutMarks } from "../../ui/plain";
import { StatusSign } from "./StatusSign";
import { ActionItems, useThreadActions } from "./threadActions";
import { words } from "./words";

interface Props {
  thread: Thread;
  agent: Agent | undefined;
  agentName: string;
  isOpen: boolean;
  /** Whether it is selected; null while none can be selected. */
  selected: boolean | null;
  onSelect(): void;
  /** The words of the search, which the title marks. */
  query: string;
}

export function ThreadRow({ thread, agent, agentName, isOpen, selected, onSelect, query }: Props): ReactNode {
  const say = useText(words);
  // A conversation that began with a choice has no words of the user yet.
  const title = withoutMarks(thread.title || agentName || say.untitled);
  const { actions, dialog } = useThreadActions(thread, async (change) => {
    await api.changeThread(thread.thread, change);
    invalidate("threads?");
    invalidate("folders");
  });
  const { found } = thread;
  const parts = found ? snippet(found) : [];
  return (
    <li className="thread-row">
      {selected !== null && (
        <input
          type="checkbox"
          className="thread-check"
          aria-label={say.selectThis(title)}
          checked={selected}
          onChange={onSelect}
        />
      )}
      <a
        className="thread-link"
        href={hashOf("chat", [thread.thread], found ? { message: String(found.seq) } : {})}
        aria-current={isOpen ? "page" : undefined}
        onClick={(event) => {
          if (selected === null) return;
          event.preventDefault();
          onSelect();
        }}
      >
        <AgentTile name={thread.agent} agent={agent} size={26} />
        <span className="thread-title" title={[title, plainLine(thread.last ?? "")].filter(Boolean).join("\n")}>
          <Marked text={title} letters={query} />
        </span>
        <StatusSign of={thread} stopped={thread.stopped ?? false} />
        <span className="thread-note cut">
          {thread.title && (
            <>
              <Marked text={agentName} letters={query} /> ·{" "}
            </>
          )}
          {thread.folder && `${visible(thread.folder)} · `}
          <Age of={thread.updated} />
        </span>
        {found && saysMore(title, parts) && (
          <span className="thread-found">
            {parts[0]}
            <mark>{parts[1]}</mark>
            {parts[2]}
          </span>
        )}
      </a>
      {selected === null && (
        <Menu
          label={say.more}
          button={<IconButton icon={Ellipsis} label={`${say.more}: ${title}`} className="thread-menu" />}
        >
          {() => <ActionItems actions={actions} />}
        </Menu>
      )}
      {dialog}
    </li>
  );
}
