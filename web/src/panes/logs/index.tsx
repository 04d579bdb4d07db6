// The interaction log: the requests to agents, turn by turn, and their outcomes.

import "./logs.css";
import { FilterX, ScrollText, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useRef } from "react";
import type { PaneProps } from "..";
import { type Interaction, api } from "../../api";
import { useTitleOf } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { clock, numberText, texts, useText } from "../../app/language";
import { useKept, usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import {
  Age,
  Badge,
  CopyButton,
  Disclosure,
  Empty,
  Failure,
  IconButton,
  MoreButton,
  Skeleton,
  StatusDot,
} from "../../ui";
import { JsonView } from "../../ui/json";
import { FILTERS, type Filters, asked, filtersOf } from "./filters";
import { visible } from "../../ui/visible";

const words = texts({
  title: ["Logs", "Protokoll"],
  search: ["Search the log", "Protokoll durchsuchen"],
  clear: ["Clear the filters", "Filter zurücksetzen"],
  agent: ["Agent", "Agent"],
  all: ["All", "Alle"],
  type: ["Type", "Art"],
  typeExample: ["such as question", "zum Beispiel question"],
  outcome: ["Outcome", "Ausgang"],
  succeeded: ["Succeeded", "Erfolgreich"],
  failed: ["Failed", "Fehlgeschlagen"],
  since: ["From", "Von"],
  until: ["To", "Bis"],
  none: ["Nothing is in the log yet", "Noch steht nichts im Protokoll"],
  noneHint: [
    "A turn stands here when it has ended, where its agent keeps a log and the log is not turned off.",
    "Eine Runde steht hier, sobald sie geendet hat, wenn ihr Agent Protokoll führt und es nicht abgeschaltet ist.",
  ],
  noneFound: ["Nothing fits these filters", "Zu diesen Filtern passt nichts"],
  noneFoundHint: ["Take one away, or clear them all.", "Nehmen Sie einen weg, oder setzen Sie alle zurück."],
  noWords: ["(no message)", "(keine Nachricht)"],
  question: ["Question", "Frage"],
  code: ["Program", "Programm"],
  result: ["Result", "Ergebnis"],
  reply: ["Answer", "Antwort"],
  error: ["Error", "Fehler"],
  metadata: ["Further facts", "Weitere Angaben"],
  started: ["Began", "Beginn"],
  seconds: ["Seconds", "Sekunden"],
  calls: ["Model calls", "Modellaufrufe"],
  tokens: ["Tokens", "Token"],
  turn: ["Turn", "Runde"],
  session: ["Conversation", "Gespräch"],
  open: ["Open the conversation", "Gespräch öffnen"],
  notThere: [
    "The conversation was deleted, or is somebody else's.",
    "Das Gespräch wurde gelöscht oder gehört jemand anderem.",
  ],
  only: ["Only this conversation", "Nur dieses Gespräch"],
});

export default function Logs({ query }: PaneProps): ReactNode {
  const say = useText(words);
  const filters = filtersOf(query);
  const set = (change: Partial<Filters>) => go(hashOf("logs", [], { ...filters, ...change }), { replace: true });
  const clear = () => go(hashOf("logs"), { replace: true });
  const filtered = FILTERS.some((name) => filters[name] !== "");
  const wanted = useDeferredValue(JSON.stringify(asked(filters)));
  const list = usePages<Interaction>(`logs?${wanted}`, (cursor) => api.logs({ ...JSON.parse(wanted), cursor }));
  const items = useKept(list.loading || list.error !== undefined ? undefined : list.items);
  const box = useRef<HTMLInputElement>(null);
  useCommands([
    {
      id: "logs.search",
      group: say.title,
      title: say.search,
      keys: "/",
      icon: Search,
      run: () => box.current?.focus(),
    },
    { id: "logs.clear", group: say.title, title: say.clear, keys: "x", icon: FilterX, run: clear },
  ]);
  const empty = !list.loading && list.error === undefined && list.items.length === 0;

  return (
    <section className="pane logs">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <label className="logs-search">
          <span className="visually-hidden">{say.search}</span>
          <input
            ref={box}
            className="input"
            type="search"
            maxLength={1000}
            placeholder={say.search}
            value={filters.q}
            onChange={(event) => set({ q: event.target.value })}
          />
        </label>
        <IconButton icon={FilterX} label={say.clear} keys="x" disabled={!filtered} onClick={clear} />
      </header>
      <div className="pane-body">
        <FilterFields filters={filters} set={set} />
        {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
        {list.loading && !items && <Skeleton lines={8} />}
        {empty && (
          <Empty icon={ScrollText} title={filtered ? say.noneFound : say.none}>
            <p>{filtered ? say.noneFoundHint : say.noneHint}</p>
          </Empty>
        )}
        <ul className="logs-list" aria-busy={list.loading}>
          {list.error === undefined &&
            items?.map((each) => (
              <li key={each.id}>
                <Row of={each} only={() => set({ session: each.session })} />
              </li>
            ))}
        </ul>
        <MoreButton more={list.more} />
      </div>
    </section>
  );
}

function FilterFields({ filters, set }: { filters: Filters; set(change: Partial<Filters>): void }): ReactNode {
  const say = useText(words);
  const agents = useResource("agents", api.agents);
  const field = (name: "type" | "since" | "until" | "session", type: string, placeholder?: string) => (
    <label className="field">
      <span>{say[name]}</span>
      <input
        type={type}
        maxLength={200}
        placeholder={placeholder}
        value={filters[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </label>
  );
  return (
    <div className="logs-filters">
      <label className="field">
        <span>{say.agent}</span>
        <select value={filters.agent} onChange={(event) => set({ agent: event.target.value })}>
          <option value="">{say.all}</option>
          {agents.data?.items.map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{say.outcome}</span>
        <select value={filters.success} onChange={(event) => set({ success: event.target.value })}>
          <option value="">{say.all}</option>
          <option value="true">{say.succeeded}</option>
          <option value="false">{say.failed}</option>
        </select>
      </label>
      {field("type", "text", say.typeExample)}
      {field("since", "date")}
      {field("until", "date")}
      {filters.session && field("session", "text")}
    </div>
  );
}

function Row({ of: each, only }: { of: Interaction; only(): void }): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
  return (
    <Disclosure
      summary={
        <span className="logs-row">
          <StatusDot tone={each.success ? "good" : "bad"} label={each.success ? say.succeeded : say.failed} />
          <span className="logs-question cut">{visible(each.question || say.noWords)}</span>
          <span className="logs-note muted cut">
            {titleOf(each.agent)} · <Age of={each.started} />
          </span>
          <Badge>{each.type}</Badge>
        </span>
      }
    >
      {() => <Fields of={each} only={only} />}
    </Disclosure>
  );
}

const TEXTS = ["question", "code", "result", "reply", "error"] as const;

function Fields({ of: each, only }: { of: Interaction; only(): void }): ReactNode {
  const say = useText(words);
  const facts: [string, ReactNode][] = [
    [say.started, clock(each.started)],
    [say.seconds, numberText(each.seconds, 2)],
    [say.turn, numberText(each.number)],
    [say.calls, numberText(each.model_calls)],
    [say.tokens, numberText(each.tokens)],
    [say.session, <span className="mono">{each.session}</span>],
    ["Id", <span className="mono">{each.id}</span>],
  ];
  return (
    <div className="logs-fields">
      <dl className="logs-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="logs-links">
        {each.yours ? (
          <a href={hashOf("chat", [each.session])}>{say.open}</a>
        ) : (
          <span className="muted">{say.notThere}</span>
        )}
        <button type="button" className="button button-quiet" onClick={only}>
          {say.only}
        </button>
      </p>
      {TEXTS.filter((name) => each[name] !== "").map((name) => (
        <section key={name} aria-label={say[name]}>
          <h2>
            {say[name]} <CopyButton text={each[name]} />
          </h2>
          <pre className={name === "code" ? "logs-text" : "logs-text logs-prose"} tabIndex={0}>
            {visible(each[name])}
          </pre>
        </section>
      ))}
      {Object.keys(each.metadata).length > 0 && (
        <section aria-label={say.metadata}>
          <h2>{say.metadata}</h2>
          <JsonView value={each.metadata} />
        </section>
      )}
    </div>
  );
}
