// The editor of flows: a draft as a picture, as forms and as text; its problems, tests and versions.

import "./editor.css";
import type { ReactFlowInstance } from "@xyflow/react";
import { Workflow } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { PaneProps } from "..";
import { useMe } from "../../app/access";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { createSetting, useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import { Age, Badge, Button, Loaded } from "../../ui";
import { visible } from "../../ui/visible";
import { type DraftText, editorApi } from "./api";
import { Canvas } from "./Canvas";
import { extensions } from "./codemirror";
import { Inspector } from "./Inspector";
import { Outline } from "./Outline";
import { ProblemCount, Problems } from "./Problems";
import { type Saving, Session } from "./session";
import { Tests, useTestRun } from "./Tests";
import { Toolbar, useEditing } from "./Toolbar";
import { SessionContext, useSession, useSessionState } from "./useSession";
import { Versions } from "./Versions";
import { words } from "./words";

const viewSetting = createSetting("editor.view", ["picture", "both", "text"] as const, "both");
const EDITS = ["author", "publisher", "admin"];
const PUBLISHES = ["publisher", "admin"];

export default function Editor({ rest }: PaneProps): ReactNode {
  const agent = rest[0] ?? "";
  return agent ? <Open key={agent} agent={agent} /> : <Choose />;
}

function Choose(): ReactNode {
  const say = useText(words);
  const flows = useResource("flows", editorApi.flows);
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{say.title}</h1>
      </header>
      <div className="pane-body">
        <Loaded of={flows}>
          {({ items }) => (
            <ul className="editor-flows" aria-label={say.choose}>
              {items.map((each) => (
                <li key={each.agent}>
                  <a href={hashOf("editor", [each.agent])}>
                    <Workflow size={18} aria-hidden />
                    <span className="editor-grow">
                      <strong>{visible(each.title)}</strong>
                      <small className="faint">{visible(each.flow)}</small>
                    </span>
                    {each.problem && <Badge tone="bad">{visible(each.problem)}</Badge>}
                    {each.file_changed && <Badge tone="warn">{say.fileChanged}</Badge>}
                    {each.draft > 0 && (
                      <Badge tone="accent">
                        {say.draftOf(visible(each.editor))} <Age of={each.edited} />
                      </Badge>
                    )}
                    <Badge>{each.version > 0 ? say.version(each.version) : say.fromFile}</Badge>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
    </section>
  );
}

function Open({ agent }: { agent: string }): ReactNode {
  const draft = useResource(`draft:${agent}`, () => editorApi.draft(agent));
  return <Loaded of={draft}>{(data) => <WithSession agent={agent} draft={data} />}</Loaded>;
}

function WithSession({ agent, draft }: { agent: string; draft: DraftText }): ReactNode {
  const { role } = useMe();
  const mayEdit = EDITS.includes(role);
  const [session, setSession] = useState<Session | null>(null);
  const first = useRef(draft);
  useEffect(() => {
    const made = new Session(agent, first.current, mayEdit, extensions);
    setSession(made);
    return () => made.close();
  }, [agent, mayEdit]);
  return (
    session && (
      <SessionContext value={session}>
        <Workbench mayPublish={PUBLISHES.includes(role)} />
      </SessionContext>
    )
  );
}

type Panel = "properties" | "outline" | "tests" | "versions";
const PANELS: Panel[] = ["properties", "outline", "tests", "versions"];

function Workbench({ mayPublish }: { mayPublish: boolean }): ReactNode {
  const session = useSession();
  const { current } = useSessionState();
  const say = useText(words);
  const view = useStore(viewSetting);
  const [panel, setPanel] = useState<Panel>("properties");
  const instance = useRef<ReactFlowInstance | null>(null);
  const run = useTestRun();
  const fit = () => void instance.current?.fitView({ padding: 0.15, maxZoom: 1 });
  useEditing(instance, fit);
  const panels = {
    properties: <Inspector />,
    outline: <Outline />,
    tests: <Tests run={run} />,
    versions: <Versions mayPublish={mayPublish} run={run} />,
  };
  return (
    <section className="pane editor">
      <header className="pane-bar">
        <h1 className="cut">
          <a href={hashOf("editor")}>{say.title}</a> / {visible(session.agent)}
        </h1>
        <ProblemCount />
        <SavingState />
        <div className="tabs" role="tablist" aria-label={say.title}>
          {(["picture", "both", "text"] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={view === each}
              onClick={() => viewSetting.set(each)}
            >
              {say[each]}
            </button>
          ))}
        </div>
      </header>
      <div className={`editor-body only-${view}`}>
        <div className="editor-picture">
          <Toolbar fit={fit} instance={instance} />
          {!current && <p className="editor-stale-note">{say.syntax}</p>}
          <Canvas coverage={run.coverage} onReady={(ready) => (instance.current = ready)} />
        </div>
        <TextView />
        <aside className="editor-side" aria-label={say[panel]}>
          <div className="tabs" role="tablist" aria-label={say.properties}>
            {PANELS.map((each) => (
              <button key={each} type="button" role="tab" aria-selected={panel === each} onClick={() => setPanel(each)}>
                {say[each]}
              </button>
            ))}
          </div>
          <div className="editor-panel">{panels[panel]}</div>
        </aside>
        <div className="editor-problems" role="region" aria-label={say.problemList} tabIndex={0}>
          <Problems />
        </div>
      </div>
    </section>
  );
}

function TextView(): ReactNode {
  const session = useSession();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    session.view.scrollDOM.tabIndex = 0;
    place.current?.append(session.view.dom);
  }, [session]);
  return <div ref={place} className="editor-text" />;
}

const TONES: Record<Saving, string> = {
  saved: "faint",
  saving: "faint",
  unsaved: "faint",
  offline: "warn",
  conflict: "bad",
};

function SavingState(): ReactNode {
  const session = useSession();
  const { saving } = useSessionState();
  const say = useText(words);
  if (!session.mayEdit) return <span className="faint">{say.readOnly}</span>;
  if (saving === "conflict")
    return (
      <span className="editor-row bad" role="alert">
        {say.conflict}
        <Button look="quiet" onClick={() => void session.resolve(false).catch(failed)}>
          {say.takeTheirs}
        </Button>
        <Button look="quiet" onClick={() => void session.resolve(true).catch(failed)}>
          {say.keepMine}
        </Button>
      </span>
    );
  return (
    <span className={TONES[saving]} role="status">
      {say[saving]}
    </span>
  );
}
