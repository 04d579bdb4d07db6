// The audit of approvals: what waits for a decision, and what was decided, by whom, and what came of it.

import { ShieldAlert, ShieldCheck } from "lucide-react";
import { type ReactNode, Suspense, lazy, useDeferredValue } from "react";
import { type AuditEntry, api } from "../../api";
import { useUserName } from "../../app/access";
import { useAgents, useTitleOf } from "../../app/agents";
import { clock, numberText, useText } from "../../app/language";
import { useNamesOf } from "../../app/nodes";
import { timesOf } from "../../app/period";
import { useKept, usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import {
  Age,
  Badge,
  CopyButton,
  Disclosure,
  Empty,
  Failure,
  FilterSelect,
  MoreButton,
  SearchField,
  Skeleton,
  type Tone,
} from "../../ui";
import { PeriodFields } from "../../ui/period";
import { plainLine } from "../../ui/plain";
import { rowsOf } from "./audit";
import { actWords, doorWords, eventWords, words } from "./words";

/** The events that ask for attention, or that decide. */
const TONES: Partial<Record<AuditEntry["event"], Tone>> = {
  approved: "good",
  rejected: "neutral",
  superseded: "warn",
  changed: "warn",
  failed: "bad",
  unknown: "warn",
};

/** The choices of what happened, each with the events that its rows have. */
const ACTS = {
  approved: ["approved", "performed", "failed", "unknown"],
  rejected: ["rejected"],
  notUsed: ["superseded", "changed"],
  published: ["published", "migrated", "migration_undone"],
  keys: ["key_made", "key_revoked"],
} satisfies Record<string, AuditEntry["event"][]>;

/** The events of a decision about an approval, whose content can be read. */
const DECIDED: readonly AuditEntry["event"][] = [...ACTS.approved, ...ACTS.rejected, ...ACTS.notUsed];

const Asked = lazy(() => import("./Asked"));

type Act = keyof typeof ACTS;

export function Audit({ query }: { query: URLSearchParams }): ReactNode {
  const say = useText(words);
  const acts = useText(actWords);
  const given = (name: string) => query.get(name) ?? "";
  const filters = {
    q: given("q"),
    agent: given("agent"),
    act: given("act"),
    period: given("period"),
    since: given("since"),
    until: given("until"),
  };
  const { q, agent, act, ...period } = filters;
  const set = (change: Record<string, string>) =>
    go(hashOf("access", ["audit"], { ...filters, ...change }), { replace: true });
  const event = act in ACTS ? ACTS[act as Act] : [];
  const wanted = useDeferredValue(JSON.stringify(filters));
  const list = usePages<AuditEntry>(`audit?${wanted}`, (cursor) =>
    api.audit({ q, agent, event, ...timesOf(period) }, cursor),
  );
  const items = useKept(list.loading || list.error !== undefined ? undefined : list.items);
  const agents = useAgents();
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (!items) return <Skeleton shape="table" lines={6} />;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <p className="muted access-about access-notice">{say.auditAbout}</p>
      <Waiting />
      {(items.length > 0 || isFiltered) && (
        <div className="filters">
          <SearchField most={200} label={say.searchAudit} value={q} onChange={(text) => set({ q: text })} />
          <FilterSelect
            label={say.agent}
            value={agent}
            onChange={(value) => set({ agent: value })}
            any={say.allAgents}
            choices={(agents.data ?? []).map((each) => [each.name, each.title])}
          />
          <FilterSelect
            label={say.event}
            value={act}
            onChange={(value) => set({ act: value })}
            any={say.anyAct}
            choices={(Object.keys(ACTS) as Act[]).map((each) => [each, acts[each]])}
          />
          <PeriodFields value={period} onChange={set} />
        </div>
      )}
      {items.length === 0 ? (
        <Empty icon={ShieldCheck} title={isFiltered ? say.noneFound : say.noAudit}>
          {!isFiltered && <p>{say.noAuditHint}</p>}
        </Empty>
      ) : (
        <Entries of={items} />
      )}
      <MoreButton more={list.more} />
    </>
  );
}

/** The user's conversations that wait for a decision. */
function Waiting(): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
  const found = useResource("threads?waiting", () => api.threads({ status: "waiting", limit: 100 }));
  const items = (found.data?.items ?? []).filter((each) => each.waiting_for?.kind === "confirm");
  if (items.length === 0) return null;
  return (
    <section className="access-waiting" aria-label={say.waiting}>
      <h2>
        <ShieldAlert size={15} aria-hidden />
        {say.waiting} ({numberText(items.length)})
      </h2>
      <ul>
        {items.map((each) => (
          <li key={each.thread}>
            <a href={hashOf("chat", [each.thread])}>{plainLine(each.title || each.waiting_for!.prompt)}</a>
            <span className="muted">
              {titleOf(each.agent)} · <Age of={each.updated} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Entries({ of: items }: { of: readonly AuditEntry[] }): ReactNode {
  const say = useText(words);
  const doors: Record<string, string> = useText(doorWords);
  const by = useUserName();
  const titleOf = useTitleOf();
  return (
    <table className="list-table" aria-label={say.audit}>
      <thead>
        <tr>
          {[say.of, say.event, say.who, say.time, say.content].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(items).map(({ decision: entry, outcome }) => (
          <tr key={entry.number}>
            <td>
              <About of={entry} title={titleOf(entry.agent)} />
            </td>
            <td>
              <span className="access-events">
                <Event of={entry.event} />
                {outcome && <Event of={outcome.event} />}
              </span>
            </td>
            <td data-name={say.who}>
              {by(entry.user)}
              {entry.door !== "api" && <span className="faint"> {say.through(doors[entry.door] ?? entry.door)}</span>}
            </td>
            <td>{clock(entry.time)}</td>
            <td>
              {entry.content && (
                <span className="access-hash">
                  <code title={entry.content}>{entry.content.slice(0, 12)}</code>
                  <CopyButton text={entry.content} />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The name of an event; one that needs no attention is plain text. */
function Event({ of: event }: { of: AuditEntry["event"] }): ReactNode {
  const say = useText(eventWords);
  const tone = TONES[event];
  return tone ? <Badge tone={tone}>{say[event]}</Badge> : <span>{say[event]}</span>;
}

/** The action of the decision, and a link to it. */
function About({ of: entry, title }: { of: AuditEntry; title: string }): ReactNode {
  const say = useText(words);
  // Changes of the graph are undone without an agent; the node is that of the journal.
  const undone = entry.agent === "graph" && entry.action === "undo";
  const nameOf = useNamesOf(undone ? "" : entry.agent);
  if (entry.event === "key_made" || entry.event === "key_revoked") return say.keyOf(entry.action);
  return (
    <>
      <span>
        {undone ? say.undo(entry.node) : (entry.action || entry.node).split(", ").map(nameOf).join(", ")}
        {entry.title && <span className="access-title"> · {plainLine(entry.title)}</span>}
      </span>
      <span className="entry-note">
        {!undone && title}
        {entry.event === "published" && <a href={hashOf("editor", [entry.agent])}>{say.flow}</a>}
        {undone && <a href={hashOf("graph", ["journal", entry.node])}>{say.journal}</a>}
        {entry.yours && <a href={hashOf("chat", [entry.thread])}>{say.conversation}</a>}
        {entry.yours && <a href={hashOf("trace", [entry.thread])}>{say.trace}</a>}
      </span>
      {DECIDED.includes(entry.event) && entry.thread && !undone && (
        <Disclosure className="access-asked" summary={<span>{say.whatWasAsked}</span>}>
          {() => (
            <Suspense fallback={<Skeleton lines={2} />}>
              <Asked number={entry.number} />
            </Suspense>
          )}
        </Disclosure>
      )}
    </>
  );
}
