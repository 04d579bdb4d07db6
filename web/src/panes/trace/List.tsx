// The conversations whose traces can be opened, with filters.

import { ChevronDown, ChevronUp, History, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import { type Status, type Thread, api } from "../../api";
import { useAgentOf, useAgents } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { useMayWrite } from "../../app/access";
import { numberText, secondsText, useText } from "../../app/language";
import { oneEach } from "../../app/families";
import { useKept, usePages } from "../../app/resource";
import { type Period, periodOf, timesOf } from "../../app/period";
import { go, hashOf } from "../../app/router";
import { Age, Badge, Empty, Failure, FilterSelect, MoreButton, SearchField, Skeleton } from "../../ui";
import { Figures } from "../../ui/Figures";
import { Histogram } from "../../ui/Histogram";
import { PeriodFields } from "../../ui/period";
import { plainLine, withoutMarks } from "../../ui/plain";
import { visible } from "../../ui/visible";
import { AgentTile } from "../chat/agentLook";
import { barsOf } from "./listBars";
import { TONES, statusWords, words } from "./words";

const STATUSES = ["waiting", "ended", "failed", "running", "cut_short"] as const satisfies readonly Status[];

export function List({ query }: { query: URLSearchParams }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const statuses = useText(statusWords);
  const given = (name: string) => query.get(name) ?? "";
  const filters = {
    q: given("q"),
    agent: given("agent"),
    status: given("status"),
    period: given("period"),
    since: given("since"),
    until: given("until"),
  };
  const set = (change: Partial<typeof filters>) =>
    go(hashOf("trace", [], { ...filters, ...change }), { replace: true });
  const wanted = useDeferredValue(JSON.stringify(filters));
  const list = usePages<Thread>(`threads?of=trace&${wanted}`, (cursor) => {
    const { q, agent, status, ...period } = JSON.parse(wanted) as typeof filters;
    const of = { q, agent, ...(status ? { status: status as Status } : {}), ...timesOf(period) };
    return api.threads({ ...of, cursor, limit: 50, usage: true, last: true, families: !q });
  });
  const items = useKept(list.loading || list.error !== undefined ? undefined : oneEach(list.items));
  const agents = useAgents();
  const box = useRef<HTMLInputElement>(null);
  useCommands([
    {
      id: "trace.search",
      group: say.group,
      title: say.search,
      keys: "/",
      icon: Search,
      run: () => box.current?.focus(),
    },
  ]);
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{say.group}</h1>
      </header>
      <div className="pane-body">
        <div className="filters">
          <SearchField box={box} most={200} label={say.search} value={filters.q} onChange={(q) => set({ q })} />
          <FilterSelect
            label={say.agent}
            value={filters.agent}
            onChange={(agent) => set({ agent })}
            any={say.allAgents}
            choices={(agents.data ?? []).map((each) => [each.name, each.title])}
          />
          <FilterSelect
            label={say.status}
            value={filters.status}
            onChange={(status) => set({ status })}
            any={say.allStatuses}
            choices={STATUSES.map((each) => [each, statuses[each]])}
          />
          <PeriodFields value={filters} onChange={set} />
          {items && items.length > 0 && (
            <span className="filters-count" role="status">
              {say.shown(numberText(items.length), list.more !== null)}
            </span>
          )}
        </div>
        {items && items.length > 0 && list.error === undefined && <Totals of={items} set={set} />}
        {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
        {list.loading && !items && <Skeleton shape="table" lines={8} />}
        {items?.length === 0 && (
          <Empty icon={History} title={isFiltered ? say.none : say.noThreads}>
            {isFiltered ? <p>{say.noneHint}</p> : mayWrite && <p>{say.noThreadsHint}</p>}
            {!isFiltered && mayWrite && (
              <a className="button" href={hashOf("chat")}>
                {say.toChat}
              </a>
            )}
          </Empty>
        )}
        {items && items.length > 0 && list.error === undefined && <Table items={items} />}
        <MoreButton more={list.more} />
      </div>
    </section>
  );
}

/** The sums over the listed conversations. */
function Totals({ of: items, set }: { of: readonly Thread[]; set(change: Period): void }): ReactNode {
  const say = useText(words);
  const sum = (number: (each: Thread) => number) => items.reduce((all, each) => all + number(each), 0);
  const failedTurns = sum((each) => each.usage?.failed_turns ?? 0);
  const { bars, seconds } = useMemo(() => barsOf(items), [items]);
  return (
    <div className="list-totals" role="group" aria-label={say.totals}>
      <Figures
        small
        of={[
          { name: say.turns, value: numberText(sum((each) => each.turns)) },
          { name: say.failedHead, value: numberText(failedTurns), ...(failedTurns > 0 ? { tone: "bad" } : {}) },
          { name: say.calledHead, value: numberText(sum((each) => each.usage?.calls ?? 0)) },
          { name: say.tokensHead, value: numberText(sum((each) => each.usage?.tokens ?? 0)) },
          { name: say.duration, value: say.seconds(secondsText(sum((each) => each.usage?.seconds ?? 0))) },
        ]}
      />
      <Histogram
        label={say.overTime}
        bars={bars}
        seconds={seconds}
        counted={(count) => say.shown(count, false)}
        onChoose={(since, until) => set(periodOf(since, until))}
      />
    </div>
  );
}

const SORTS = {
  turns: (each: Thread) => each.turns,
  tokens: (each: Thread) => each.usage?.tokens ?? 0,
  seconds: (each: Thread) => each.usage?.seconds ?? 0,
  updated: (each: Thread) => Date.parse(each.updated),
};

type Sort = keyof typeof SORTS;

/** The listed conversations, in the order of a column: the largest values first, or the smallest. */
function Table({ items }: { items: readonly Thread[] }): ReactNode {
  const say = useText(words);
  const [by, setBy] = useState<{ sort: Sort; up: boolean }>({ sort: "updated", up: false });
  const longest = Math.max(...items.map((each) => each.usage?.seconds ?? 0));
  const value = SORTS[by.sort];
  const sorted = items.toSorted((one, other) => (value(other) - value(one)) * (by.up ? -1 : 1));
  const head = (sort: Sort, name: string) => {
    const isChosen = by.sort === sort;
    const Sign = isChosen && by.up ? ChevronUp : ChevronDown;
    return (
      <th scope="col" className="numeric" aria-sort={isChosen ? (by.up ? "ascending" : "descending") : undefined}>
        <button type="button" className="list-sort" onClick={() => setBy({ sort, up: isChosen && !by.up })}>
          {name}
          <Sign size={12} aria-hidden />
        </button>
      </th>
    );
  };
  return (
    <table className="list-table">
      <thead>
        <tr>
          <th scope="col">{say.conversation}</th>
          <th scope="col">{say.agent}</th>
          <th scope="col">{say.status}</th>
          {head("turns", say.turns)}
          {head("tokens", say.tokensHead)}
          {head("seconds", say.duration)}
          {head("updated", say.updated)}
        </tr>
      </thead>
      <tbody>
        {sorted.map((each) => (
          <Row key={each.thread} of={each} longest={longest} />
        ))}
      </tbody>
    </table>
  );
}

const SEEN = 0.05; // of the longest duration; a shorter bar would be a speck

/** The states that ask for attention; the others are plain text. */
const CALLING: readonly Status[] = ["waiting", "failed", "cut_short", "running"];

function Row({ of: each, longest }: { of: Thread; longest: number }): ReactNode {
  const say = useText(words);
  const statuses = useText(statusWords);
  const agent = useAgentOf()(each.agent);
  const { usage } = each;
  const failedTurns = usage?.failed_turns ?? 0;
  return (
    <tr>
      <td>
        <span className="list-name">
          <AgentTile name={each.agent} agent={agent} size={22} />
          <a href={hashOf("trace", [each.thread])} title={visible(each.title)}>
            {withoutMarks(each.title || agent?.title || each.agent)}
            {each.last && <span className="list-note cut">{plainLine(each.last)}</span>}
          </a>
          {failedTurns > 0 && each.status !== "failed" && <Badge tone="bad">{say.failedTurns(failedTurns)}</Badge>}
        </span>
      </td>
      <td>{agent?.title || each.agent}</td>
      <td className={CALLING.includes(each.status) ? undefined : "list-wide"}>
        {each.stopped && each.waiting_for?.kind !== "confirm" ? (
          <Badge>{say.stoppedTurn}</Badge>
        ) : CALLING.includes(each.status) ? (
          <Badge tone={TONES[each.status]}>
            {each.status === "waiting" && each.waiting_for?.kind === "confirm"
              ? say.waitsForYes
              : statuses[each.status]}
          </Badge>
        ) : (
          statuses[each.status]
        )}
      </td>
      <td className="numeric list-wide">{numberText(each.turns)}</td>
      <td className="numeric list-wide" data-name={say.tokensHead}>
        {usage?.tokens ? numberText(usage.tokens) : ""}
      </td>
      <td className="numeric">
        {usage && each.turns > 0 && (
          <span className="list-part">
            {say.seconds(secondsText(usage.seconds))}
            {usage.seconds >= longest * SEEN && (
              <span style={{ width: `${(100 * usage.seconds) / Math.max(longest, 0.01)}%` }} aria-hidden />
            )}
          </span>
        )}
      </td>
      <td className="numeric">
        <Age of={each.updated} />
      </td>
    </tr>
  );
}
