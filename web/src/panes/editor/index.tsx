// The editor of flows: a draft as a picture, as forms and as text; its problems, tests and versions.

import "./editor.css";
import { ArrowLeft } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { PaneProps } from "../props";
import { useMayEdit, useMe } from "../../app/access";
import { useTitleOf } from "../../app/agents";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Loaded } from "../../ui";
import { visible } from "../../ui/visible";
import { type DraftText, editorApi } from "./api";
import { extensions, showPart } from "./codemirror";
import { FlowList } from "./FlowList";
import { Session } from "./session";
import { SessionContext } from "./useSession";
import { Workbench } from "./Workbench";
import { words } from "./words";

const PUBLISHES = ["publisher", "admin"];

export default function Editor({ rest, query }: PaneProps): ReactNode {
  const agent = rest[0] ?? "";
  return agent ? <Open key={agent} agent={agent} node={query.get("node") ?? ""} /> : <FlowList />;
}

let visits = 0;

interface Opened {
  agent: string;
  /** The node that the address names; empty for none. */
  node: string;
}

function Open({ agent, node }: Opened): ReactNode {
  // Never an answer from before: a session that began with it would not have what was saved since.
  const [visit] = useState(() => (visits += 1));
  const draft = useResource(`draft:${agent}:${visit}`, () => editorApi.draft(agent));
  if (draft.data) return <WithSession agent={agent} node={node} draft={draft.data} />;
  return (
    <section className="pane">
      <Head agent={agent} />
      <Loaded of={draft} shape="canvas" lines={5}>
        {() => null}
      </Loaded>
    </section>
  );
}

/** The head while the draft loads, or if there is none. */
function Head({ agent }: { agent: string }): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
  return (
    <header className="pane-bar">
      <a className="icon-button" href={hashOf("editor")} aria-label={say.flows} data-tip={say.flows}>
        <ArrowLeft size={16} aria-hidden />
      </a>
      <h1 className="cut">{visible(titleOf(agent))}</h1>
    </header>
  );
}

function WithSession({ agent, node, draft }: Opened & { draft: DraftText }): ReactNode {
  const mayEdit = useMayEdit();
  const { role } = useMe();
  const [session, setSession] = useState<Session | null>(null);
  const first = useRef(draft);
  useEffect(() => {
    const made = new Session(agent, first.current, mayEdit, extensions);
    setSession(made);
    return () => made.close();
  }, [agent, mayEdit]);
  useEffect(() => (session && node ? chosen(session, node) : undefined), [session, node]);
  return (
    session && (
      <SessionContext value={session}>
        <Workbench mayPublish={PUBLISHES.includes(role)} />
      </SessionContext>
    )
  );
}

/** Chooses a node as soon as the document is read; returns what ends the wait. */
function chosen(session: Session, id: string): () => void {
  const choose = () => {
    const node = session.state.get().shown?.nodes.get(id);
    if (!node) return;
    end();
    session.select({ kind: "nodes", ids: [id] });
    showPart(session, node);
  };
  const end = session.state.subscribe(choose);
  choose();
  return end;
}
