// Access, for admins: the API keys, and the audit of approvals.

import "./access.css";
import { ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import type { PaneProps } from "..";
import { type AuditEntry, api } from "../../api";
import { useTitleOf } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { clock, useText } from "../../app/language";
import { useNamesOf } from "../../app/nodes";
import { usePages } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { Badge, CopyButton, Empty, Failure, MoreButton, Skeleton, Table, type Tone } from "../../ui";
import { Keys } from "./Keys";
import { doorWords, eventWords, words } from "./words";

export default function Access({ rest }: PaneProps): ReactNode {
  const say = useText(words);
  const inAudit = rest[0] === "audit";
  const toKeys = () => go(hashOf("access"));
  const toAudit = () => go(hashOf("access", ["audit"]));
  useCommands([
    { id: "access.keys", group: say.title, title: say.keys, keys: "1", run: toKeys },
    { id: "access.audit", group: say.title, title: say.audit, keys: "2", run: toAudit },
  ]);
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <div className="tabs" role="tablist" aria-label={say.title}>
          <button type="button" role="tab" aria-selected={!inAudit} onClick={toKeys}>
            {say.keys}
          </button>
          <button type="button" role="tab" aria-selected={inAudit} onClick={toAudit}>
            {say.audit}
          </button>
        </div>
      </header>
      <div className="pane-body access">{inAudit ? <Audit /> : <Keys />}</div>
    </section>
  );
}

const TONES: Record<AuditEntry["event"], Tone> = {
  approved: "accent",
  rejected: "neutral",
  changed: "warn",
  performed: "good",
  failed: "bad",
  unknown: "warn",
  key_made: "accent",
  key_revoked: "neutral",
  published: "accent",
  migrated: "accent",
  migration_undone: "neutral",
};

function Audit(): ReactNode {
  const say = useText(words);
  const events = useText(eventWords);
  const doors: Record<string, string> = useText(doorWords);
  const list = usePages<AuditEntry>("audit", api.audit);
  const titleOf = useTitleOf();
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (list.loading) return <Skeleton lines={6} />;
  if (list.items.length === 0)
    return (
      <Empty icon={ShieldCheck} title={say.noAudit}>
        <p>{say.noAuditHint}</p>
      </Empty>
    );
  const row = (entry: AuditEntry): ReactNode[] => [
    <Badge tone={TONES[entry.event]}>{events[entry.event]}</Badge>,
    <About of={entry} title={titleOf(entry.agent)} />,
    entry.user,
    clock(entry.time),
    doors[entry.door] ?? entry.door,
    entry.content && (
      <span className="access-hash">
        <code title={entry.content}>{entry.content.slice(0, 12)}</code>
        <CopyButton text={entry.content} />
      </span>
    ),
  ];
  return (
    <>
      <Table
        label={say.audit}
        columns={[say.event, say.of, say.who, say.time, say.door, say.content]}
        rows={list.items.map(row)}
      />
      <MoreButton more={list.more} />
    </>
  );
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
      <span>{undone ? say.undo(entry.node) : (entry.action || entry.node).split(", ").map(nameOf).join(", ")}</span>
      <span className="entry-note">
        {!undone && title}
        {undone && <a href={hashOf("graph", ["journal", entry.node])}>{say.journal}</a>}
        {entry.yours && <a href={hashOf("chat", [entry.thread])}>{say.conversation}</a>}
        {entry.yours && <a href={hashOf("trace", [entry.thread])}>{say.trace}</a>}
      </span>
    </>
  );
}
