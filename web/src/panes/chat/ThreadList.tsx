// The conversations at the left: searched, filtered by agent or folder, pinned ones first, the rest in groups by day.

import "./ThreadList.css";
import { Folder, ListChecks, MessageSquare, Plus, Search, ShieldAlert } from "lucide-react";
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { type Agent, type Thread, api } from "../../api";
import { useMayWrite } from "../../app/access";
import { useCommands } from "../../app/commands";
import { numberText, useText } from "../../app/language";
import { oneEach } from "../../app/families";
import { usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { useNow } from "../../app/time";
import { Button, Empty, Failure, IconButton, MoreButton, Select, Skeleton } from "../../ui";
import { SelectedBar } from "./SelectedBar";
import { ThreadRow } from "./ThreadRow";
import { agentIcon } from "./agentLook";
import { words } from "./words";

const LOOK_AGAIN = 4000; // ms between checks for changes by others
const WAITING = "?waiting"; // the filter for those that wait for the user
const PINNED = 50; // pinned conversations shown

function dayOf(time: string): "today" | "yesterday" | "week" | "earlier" {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const then = new Date(time).getTime();
  if (then >= midnight) return "today";
  if (then >= midnight - 86_400_000) return "yesterday";
  return then >= midnight - 6 * 86_400_000 ? "week" : "earlier";
}

type Day = ReturnType<typeof dayOf> | "";

/** The threads of each day, in order; those of a search stay in one list. */
function byDay(threads: readonly Thread[], isSearch: boolean): [Day, Thread[]][] {
  const days: [Day, Thread[]][] = [];
  for (const each of threads) {
    const day = isSearch ? "" : dayOf(each.updated);
    const last = days.at(-1);
    if (last?.[0] === day) last[1].push(each);
    else days.push([day, [each]]);
  }
  return days;
}

export function ThreadList({ chosen, agents }: { chosen: string; agents: Agent[] }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState("");
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const q = useDeferredValue(search.trim());
  const isWaiting = filter === WAITING;
  const [agent, folder] = filter.startsWith("/") ? ["", filter.slice(1)] : [isWaiting ? "" : filter, ""];
  const query = { q, agent, folder, ...(isWaiting ? { status: "waiting" as const } : {}), last: true };
  const isPlain = !q && !folder && !isWaiting;
  const list = usePages<Thread>(`threads?${q}&${filter}`, (cursor) =>
    // A search finds every branch; otherwise a conversation and its branches are one row.
    api.threads({ ...query, cursor, families: !q, pinned: isPlain ? false : null }),
  );
  const pins = useResource(isPlain ? `threads?pinned&${agent}` : null, () =>
    api.threads({ agent, families: true, pinned: true, limit: PINNED, last: true }),
  );
  const pinned = isPlain ? (pins.data?.items ?? []) : [];
  const folders = useResource("folders", api.folders).data?.items ?? [];

  // Conversations continue without this page. If further pages of the list are loaded, they are kept.
  const { reload, grown } = list;
  useEffect(() => {
    if (grown) return;
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [grown, reload]);

  const items = useMemo(() => oneEach(list.items), [list.items]);
  const all = [...pinned, ...items];
  // The row of a conversation stands for all its versions, of which another one may be open.
  const family = useResource(chosen ? `branches?list&${chosen}` : null, () => api.branches(chosen));
  const open = new Set([chosen, ...(family.data?.items.map((each) => each.thread) ?? [])]);
  // The name of an agent that is not served (any more) is its id; while the agents load, there is none.
  const titleOf = (name: string) =>
    agents.find((each) => each.name === name)?.title ?? (agents.length > 0 ? name : "…");
  const step = (by: number) => {
    const at = all.findIndex((each) => open.has(each.thread));
    const next = all[at < 0 ? 0 : at + by];
    if (next) go(hashOf("chat", [next.thread]));
  };
  const toNew = () => go(hashOf("chat"));
  const toSearch = () => box.current?.focus();
  const write = (is: boolean) => setSelected(is ? new Set() : null);
  useCommands([
    ...(mayWrite
      ? [
          { id: "chat.new", group: say.group, title: say.newThread, keys: "n", icon: Plus, run: toNew },
          {
            id: "chat.select",
            group: say.group,
            title: say.select,
            keys: "m",
            icon: ListChecks,
            run: () => write(true),
          },
        ]
      : []),
    ...(selected
      ? [{ id: "chat.unselect", group: say.group, title: say.unselect, keys: "escape", run: () => write(false) }]
      : []),
    { id: "chat.search", group: say.group, title: say.search, keys: "/", icon: Search, run: toSearch },
    { id: "chat.next", group: say.group, title: say.nextThread, keys: "j", run: () => step(1) },
    { id: "chat.previous", group: say.group, title: say.previousThread, keys: "k", run: () => step(-1) },
  ]);
  const row = (each: Thread) => (
    <ThreadRow
      key={each.thread}
      thread={each}
      agent={agents.find((other) => other.name === each.agent)}
      agentName={titleOf(each.agent)}
      isOpen={open.has(each.thread)}
      query={q}
      selected={selected?.has(each.thread) ?? null}
      onSelect={() => {
        const now = new Set(selected);
        if (!now.delete(each.thread)) now.add(each.thread);
        setSelected(now);
      }}
    />
  );
  useNow(() => new Date().toDateString()); // the days below change at midnight
  const days = byDay(items, q !== "");
  const isEmpty = !list.loading && !list.error && all.length === 0;
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
        {mayWrite && <IconButton icon={Plus} label={say.newThread} keys="n" onClick={toNew} />}
      </header>
      <div className="threads-tools">
        <Select
          className="threads-filter"
          label={say.filter}
          value={filter}
          onChoose={setFilter}
          choices={[
            { value: "", title: say.allThreads, icon: MessageSquare },
            { value: WAITING, title: say.waiting, icon: ShieldAlert },
            ...folders.map((each, index) => ({
              value: `/${each.name}`,
              title: each.name,
              icon: Folder,
              ...(index === 0 ? { group: say.byFolder } : {}),
            })),
            ...agents.map((each, index) => ({
              value: each.name,
              title: each.title,
              icon: agentIcon(each),
              ...(index === 0 ? { group: say.byAgent } : {}),
            })),
          ]}
        />
        {mayWrite && all.length > 0 && (
          <IconButton
            icon={ListChecks}
            label={say.select}
            keys="m"
            aria-pressed={selected !== null}
            onClick={() => write(selected === null)}
          />
        )}
      </div>
      <div className="threads-list">
        {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
        {list.loading && <Skeleton shape="list" lines={6} />}
        {isEmpty && (
          <Empty icon={q || filter ? Search : MessageSquare} title={q || filter ? say.noneFound : say.noThreads}>
            {q || filter ? (
              <Button look="quiet" onClick={() => (setSearch(""), setFilter(""))}>
                {say.clearSearch}
              </Button>
            ) : (
              mayWrite && <p>{say.noThreadsText}</p>
            )}
          </Empty>
        )}
        {pinned.length > 0 && (
          <>
            <h2 className="threads-day">{say.pinned}</h2>
            <ul>{pinned.map(row)}</ul>
          </>
        )}
        {q && !isEmpty && !list.loading && (
          <p className="threads-day" role="status">
            {say.hits(numberText(items.length), list.more !== null)}
          </p>
        )}
        {days.map(([day, threads]) => (
          <div key={day}>
            {day && <h2 className="threads-day">{say[day]}</h2>}
            <ul>{threads.map(row)}</ul>
          </div>
        ))}
        <MoreButton more={list.more} />
      </div>
      {selected && <SelectedBar selected={selected} onDone={() => setSelected(null)} />}
    </section>
  );
}
