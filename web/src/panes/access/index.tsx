// Access, for admins: the API keys, and the audit of what was approved.

import "./access.css";
import { ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import type { PaneProps } from "..";
import { type AuditEntry, api } from "../../api";
import { useCommands } from "../../app/commands";
import { clock, useText } from "../../app/language";
import { usePages } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { Badge, Empty, Failure, MoreButton, Skeleton, Table, type Tone } from "../../ui";
import { Keys } from "./Keys";
import { eventWords, words } from "./words";

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
};

function Audit(): ReactNode {
  const say = useText(words);
  const events = useText(eventWords);
  const list = usePages<AuditEntry>("audit", api.audit);
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (list.loading) return <Skeleton lines={6} />;
  if (list.items.length === 0)
    return (
      <Empty icon={ShieldCheck} title={say.noAudit}>
        <p>{say.noAuditHint}</p>
      </Empty>
    );
  const row = (entry: AuditEntry): ReactNode[] => [
    clock(entry.time),
    entry.user,
    <Badge tone={TONES[entry.event]}>{events[entry.event]}</Badge>,
    entry.action || entry.node,
    entry.agent,
    entry.door,
    <code>{entry.content}</code>,
  ];
  return (
    <>
      <Table
        label={say.audit}
        columns={[say.time, say.who, say.event, say.action, say.agent, say.door, say.content]}
        rows={list.items.map(row)}
      />
      <MoreButton more={list.more} />
    </>
  );
}
