// The conversations at the left: searched, filtered, in groups by day; each with its state.

import "./ThreadList.css";
import { Plus, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from "react";
import { type Agent, type Status, type Thread, api } from "../../api";
import { useMayWrite } from "../../app/access";
import { useTitleOf } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { usePages } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { useNow } from "../../app/time";
import { Age, Failure, IconButton, MoreButton, Skeleton, StatusDot } from "../../ui";
import { words } from "./words";
import { visible } from "../../ui/visible";

export function StatusSign({ status }: { status: Status }): ReactNode {
  const say = useText(words);
  if (status === "running") return <StatusDot tone="busy" label={say.running} />;
  if (status === "cut_short") return <StatusDot tone="bad" label={say.cutShortSign} />;
  if (status === "waiting") return <StatusDot tone="warn" label={say.waiting} />;
  if (status === "failed") return <StatusDot tone="bad" label={say.failed} />;
  return null;
}

const LOOK_AGAIN = 4000; // ms between checks for changes by others

function dayOf(time: string): "today" | "yesterday" | "week" | "earlier" {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const then = new Date(time).getTime();
  if (then >= midnight) return "today";
  if (then >= midnight - 86_400_000) return "yesterday";
  return then >= midnight - 6 * 86_400_000 ? "week" : "earlier";
}

export function ThreadList({ chosen, agents }: { chosen: string; agents: Agent[] }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [search, setSearch] = useState("");
  const [agent, setAgent] = useState("");
  const box = useRef<HTMLInputElement>(null);
  const q = useDeferredValue(search.trim());
  const list = usePages<Thread>(`threads?${q}&${agent}`, (cursor) => api.threads({ q, agent, cursor }));
  const titleOf = useTitleOf();

  // Conversations continue without this page. If further pages of the list are loaded, they are kept.
  const { reload, grown } = list;
  useEffect(() => {
    if (grown) return;
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [grown, reload]);

  const step = (by: number) => {
    const at = list.items.findIndex((each) => each.thread === chosen);
    const next = list.items[at < 0 ? 0 : at + by];
    if (next) go(hashOf("chat", [next.thread]));
  };
  useCommands([
    ...(mayWrite
      ? [
          {
            id: "chat.new",
            group: say.group,
            title: say.newThread,
            keys: "n",
            icon: Plus,
            run: () => go(hashOf("chat")),
          },
        ]
      : []),
    {
      id: "chat.search",
      group: say.group,
      title: say.search,
      keys: "/",
      icon: Search,
      run: () => box.current?.focus(),
    },
    { id: "chat.next", group: say.group, title: say.nextThread, keys: "j", run: () => step(1) },
    { id: "chat.previous", group: say.group, title: say.previousThread, keys: "k", run: () => step(-1) },
  ]);

  useNow(() => new Date().toDateString()); // the days below change at midnight
  let day = "";
  return (
    <section className="threads" aria-label={say.threads}>
      <header className="threads-head">
        <label className="threads-search">
          <Search size={14} aria-hidden />
          <input
            ref={box}
            type="search"
            maxLength={200}
            aria-label={say.search}
            placeholder={say.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
        </label>
        {mayWrite && <IconButton icon={Plus} label={say.newThread} keys="n" onClick={() => go(hashOf("chat"))} />}
      </header>
      <select
        className="threads-agent"
        aria-label={say.allAgents}
        value={agent}
        onChange={(event) => setAgent(event.target.value)}
      >
        <option value="">{say.allAgents}</option>
        {agents.map((each) => (
          <option key={each.name} value={each.name}>
            {each.title}
          </option>
        ))}
      </select>
      <div className="threads-list">
        {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
        {list.loading && <Skeleton lines={6} />}
        {!list.loading && !list.error && list.items.length === 0 && (
          <p className="threads-none muted">{q || agent ? say.noneFound : say.noThreads}</p>
        )}
        <ul>
          {list.items.map((each) => {
            const its = dayOf(each.updated);
            const heading = its !== day && say[its];
            day = its;
            return (
              <li key={each.thread}>
                {heading && <h2 className="threads-day">{heading}</h2>}
                <a
                  className="thread-link"
                  href={hashOf("chat", [each.thread])}
                  aria-current={each.thread === chosen ? "page" : undefined}
                >
                  <span className="thread-title cut">{visible(each.title || say.untitled)}</span>
                  <StatusSign status={each.status} />
                  <span className="thread-note cut">
                    {titleOf(each.agent)} · <Age of={each.updated} />
                  </span>
                </a>
              </li>
            );
          })}
        </ul>
        <MoreButton more={list.more} />
      </div>
    </section>
  );
}
