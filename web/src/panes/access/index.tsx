// Access, for admins: the API keys, and the audit of approvals.

import "./access.css";
import type { ReactNode } from "react";
import type { PaneProps } from "../props";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { go, hashOf } from "../../app/router";
import { Audit } from "./Audit";
import { Keys } from "./Keys";
import { words } from "./words";

export default function Access({ rest, query }: PaneProps): ReactNode {
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
      <div className="pane-body access">{inAudit ? <Audit query={query} /> : <Keys />}</div>
    </section>
  );
}
