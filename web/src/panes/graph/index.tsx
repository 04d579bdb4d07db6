// The property graph: its nodes, the neighbourhood of one, and the journal.

import "./graph.css";
import { Search, Waypoints } from "lucide-react";
import { type ReactNode, useDeferredValue, useRef } from "react";
import type { PaneProps } from "..";
import { useCommands } from "../../app/commands";
import { numberText, useText } from "../../app/language";
import { useKept, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { Badge, Empty, Loaded } from "../../ui";
import { Journal } from "./Journal";
import { Neighbourhood } from "./Neighbourhood";
import { nodeId } from "./layout";
import { words } from "./words";
import { graphApi } from "./api";

export default function Graph({ rest, query }: PaneProps): ReactNode {
  const say = useText(words);
  const inJournal = rest[0] === "journal";
  const toNodes = () => go(hashOf("graph"));
  const toJournal = () => go(hashOf("graph", ["journal"]));
  useCommands([
    { id: "graph.nodes", group: say.title, title: say.nodes, keys: "1", run: toNodes },
    { id: "graph.journal", group: say.title, title: say.journal, keys: "2", run: toJournal },
  ]);
  return (
    <section className="pane graph">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <div className="tabs" role="tablist" aria-label={say.title}>
          <button type="button" role="tab" aria-selected={!inJournal} onClick={toNodes}>
            {say.nodes}
          </button>
          <button type="button" role="tab" aria-selected={inJournal} onClick={toJournal}>
            {say.journal}
          </button>
        </div>
      </header>
      <div className="pane-body">
        {inJournal ? <Journal chosen={rest[1] ?? ""} /> : <Nodes rest={rest} query={query} />}
      </div>
    </section>
  );
}

function Nodes({ rest, query }: PaneProps): ReactNode {
  const say = useText(words);
  const [, label = "", key = ""] = rest;
  const q = query.get("q") ?? "";
  const of = query.get("label") ?? "";
  const wanted = useDeferredValue(q.trim());
  const found = useResource(`graph?${of}&${wanted}`, () => graphApi.graph({ q: wanted, label: of, limit: 100 }));
  const kept = useKept(found.data);
  const box = useRef<HTMLInputElement>(null);
  useCommands([
    {
      id: "graph.search",
      group: say.title,
      title: say.search,
      keys: "/",
      icon: Search,
      run: () => box.current?.focus(),
    },
  ]);
  const set = (change: Record<string, string>) =>
    go(hashOf("graph", rest, { q, label: of, ...change }), { replace: true });
  return (
    <div className="split">
      <nav aria-label={say.nodes}>
        <div className="graph-filters">
          <input
            ref={box}
            className="input"
            type="search"
            aria-label={say.search}
            placeholder={say.search}
            value={q}
            onChange={(event) => set({ q: event.target.value })}
          />
          <select
            className="input"
            aria-label={say.label}
            value={of}
            onChange={(event) => set({ label: event.target.value })}
          >
            <option value="">{say.all}</option>
            {kept?.labels.map((each) => (
              <option key={each.label} value={each.label}>
                {each.label} ({numberText(each.count)})
              </option>
            ))}
          </select>
        </div>
        <Loaded of={{ ...found, data: found.error === undefined ? kept : undefined }} lines={6}>
          {({ nodes, truncated }) => (
            <>
              {nodes.length === 0 && (
                <Empty icon={Waypoints} title={q || of ? say.noneFound : say.none}>
                  <p>{q || of ? say.noneFoundHint : say.noneHint}</p>
                </Empty>
              )}
              <ul className="entries graph-entries">
                {nodes.map((each) => (
                  <li key={nodeId(each)}>
                    <a
                      className="graph-entry"
                      href={hashOf("graph", ["node", each.label, each.key], { q, label: of })}
                      aria-current={each.label === label && each.key === key ? "page" : undefined}
                    >
                      <bdi className="graph-name">{each.key}</bdi>
                      <Badge>{each.label}</Badge>
                    </a>
                  </li>
                ))}
              </ul>
              {truncated && <p className="muted">{say.searchHint}</p>}
            </>
          )}
        </Loaded>
      </nav>
      {key ? (
        <Neighbourhood key={`${label}/${key}`} label={label} name={key} />
      ) : (
        <Empty icon={Waypoints} title={say.choose}>
          <p>{say.chooseHint}</p>
        </Empty>
      )}
    </div>
  );
}
