// The interaction log: the requests to agents, turn by turn, and their outcomes.

import "./logs.css";
import { Download, FilterX, RefreshCw, ScrollText, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useRef, useState } from "react";
import type { PaneProps } from "../props";
import { type Interaction, api, download } from "../../api";
import { useCommands } from "../../app/commands";
import { useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { useKept, usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { failed } from "../../app/toasts";
import { Button, Empty, Failure, IconButton, MoreButton, Skeleton } from "../../ui";
import { FilterFields } from "./FilterFields";
import { FILTERS, type Filters, asked, filtersOf } from "./filters";
import { Records } from "./Records";
import { Row } from "./Row";
import { Tabs } from "./Tabs";
import { Totals } from "./Totals";
import { words } from "./words";

export default function Logs({ rest, query }: PaneProps): ReactNode {
  return rest[0] === "records" ? <Records collection={rest[1] ?? ""} /> : <Turns query={query} />;
}

function Turns({ query }: Pick<PaneProps, "query">): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const filters = filtersOf(query);
  const set = (change: Partial<Filters>) => go(hashOf("logs", [], { ...filters, ...change }), { replace: true });
  const clear = () => go(hashOf("logs"), { replace: true });
  const filtered = FILTERS.some((name) => filters[name] !== "");
  const wanted = useDeferredValue(JSON.stringify(filters));
  const queryNow = () => asked(JSON.parse(wanted) as Filters);
  const list = usePages<Interaction>(`logs?${wanted}`, (cursor) => api.logs({ ...queryNow(), cursor }));
  const items = useKept(list.loading || list.error !== undefined ? undefined : list.items);
  const summary = useResource(`logs?totals&${wanted}`, () => api.logsSummary(queryNow()));
  const totals = useKept(summary.data);
  const reload = () => void Promise.all([list.reload(), summary.reload()]);
  // Types that a filter leaves out stay in the list to choose from.
  const [types, setTypes] = useState<readonly string[]>([]);
  const unknown = totals?.types.filter((each) => !types.includes(each)) ?? [];
  if (unknown.length > 0) setTypes([...new Set([...types, ...unknown])].sort());
  const box = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (session: string, isChosen: boolean) =>
    setChosen((now) => new Set(isChosen ? [...now, session] : [...now].filter((each) => each !== session)));
  const asTests = () => {
    const query = new URLSearchParams([...chosen].map((each) => ["thread", each]));
    download(`logs/conversations?${query}`, "conversations.zip").catch(failed);
  };
  useCommands([
    {
      id: "logs.search",
      group: say.title,
      title: say.search,
      keys: "/",
      icon: Search,
      run: () => box.current?.focus(),
    },
    { id: "logs.reload", group: say.title, title: say.reload, keys: "r", icon: RefreshCw, run: reload },
    { id: "logs.clear", group: say.title, title: say.clear, keys: "x", icon: FilterX, run: clear },
    ...(chosen.size > 0
      ? [{ id: "logs.tests", group: say.title, title: say.asTests, keys: "shift+t", icon: Download, run: asTests }]
      : []),
  ]);
  const ours = items?.filter((each) => each.yours).map((each) => each.session) ?? [];
  const empty = !list.loading && list.error === undefined && list.items.length === 0;

  return (
    <section className="pane logs">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <Tabs records={false} />
        <IconButton icon={RefreshCw} label={say.reload} keys="r" onClick={reload} />
      </header>
      <div className="pane-body">
        <FilterFields filters={filters} set={set} clear={clear} box={box} types={types} />
        {totals && list.error === undefined && <Totals of={totals} set={set} />}
        {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
        {list.loading && !items && <Skeleton shape="table" lines={8} />}
        {empty && (
          <Empty icon={ScrollText} title={filtered ? say.noneFound : say.none}>
            {filtered ? <p>{say.noneFoundHint}</p> : mayWrite && <p>{say.noneHint}</p>}
            {!filtered && mayWrite && (
              <a className="button" href={hashOf("chat")}>
                {say.toChat}
              </a>
            )}
          </Empty>
        )}
        {chosen.size > 0 && (
          <div className="logs-chosen" role="region" aria-label={say.selected(chosen.size)}>
            <span>{say.selected(chosen.size)}</span>
            <Button look="primary" icon={Download} title={say.asTestsHint} onClick={asTests}>
              {say.asTests}
            </Button>
            <Button look="quiet" onClick={() => setChosen(new Set())}>
              {say.unselect}
            </Button>
          </div>
        )}
        {items && items.length > 0 && list.error === undefined && (
          <div className="logs-head">
            <input
              type="checkbox"
              aria-label={say.selectAll}
              title={say.selectAll}
              disabled={ours.length === 0}
              checked={ours.length > 0 && ours.every((each) => chosen.has(each))}
              onChange={(event) => setChosen(new Set(event.target.checked ? ours : []))}
            />
            <p className="logs-row" aria-hidden>
              <span />
              <span>{say.question}</span>
              <span>{say.agent}</span>
              <span>{say.type}</span>
              <span className="logs-number">{say.tokens}</span>
              <span className="logs-number">{say.duration}</span>
              <span className="logs-number">{say.when}</span>
            </p>
          </div>
        )}
        <ul className="logs-list" aria-busy={list.loading}>
          {list.error === undefined &&
            items?.map((each) => (
              <li key={each.id}>
                <input
                  type="checkbox"
                  aria-label={say.select(each.question || say.noWords)}
                  disabled={!each.yours}
                  checked={chosen.has(each.session)}
                  onChange={(event) => choose(each.session, event.target.checked)}
                />
                <Row of={each} only={() => set({ session: each.session })} />
              </li>
            ))}
        </ul>
        <MoreButton more={list.more} />
      </div>
    </section>
  );
}
