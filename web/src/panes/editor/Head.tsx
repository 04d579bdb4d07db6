// The head of an open draft.

import { ArrowLeft, Layers as LayersIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useAgents } from "../../app/agents";
import { useText } from "../../app/language";
import { hashOf } from "../../app/router";
import { createSetting, useStore } from "../../app/store";
import { visible } from "../../ui/visible";
import { AgentTile } from "../chat/agentLook";
import { ProblemCount } from "./Problems";
import { PublishButton } from "./Publish";
import { SavingAlert, SavingState } from "./Saving";
import type { TestRun } from "./Tests";
import { useSession, useSessionState } from "./useSession";
import type { Panel } from "./Workbench";
import { words } from "./words";

const VIEWS = ["picture", "both", "text"] as const;
export const viewSetting = createSetting("editor.view", VIEWS, "both");

interface HeadProps {
  narrow: boolean;
  mayPublish: boolean;
  run: TestRun;
  onPanel(panel: Panel): void;
  onProblems(): void;
  /** A view was chosen. */
  onView(view: (typeof VIEWS)[number]): void;
}

/** The name of the flow and the state of its draft; the views; and the way to publish it. */
export function Head({ narrow, mayPublish, run, onPanel, onProblems, onView }: HeadProps): ReactNode {
  const session = useSession();
  const { shown, layers } = useSessionState();
  const say = useText(words);
  const view = useStore(viewSetting);
  const agents = useAgents();
  const agent = agents.data?.find((each) => each.name === session.agent);
  const title = shown?.data.title;
  return (
    <header className="editor-head">
      <div className="pane-bar">
        <a className="icon-button" href={hashOf("editor")} aria-label={say.flows} data-tip={say.flows}>
          <ArrowLeft size={16} aria-hidden />
        </a>
        {!narrow && <AgentTile name={session.agent} agent={agent} size={28} />}
        <div className="editor-title">
          <h1 className="cut">{visible(typeof title === "string" && title ? title : session.agent)}</h1>
          <SavingState />
        </div>
        {layers && layers.layers.length > 1 && !narrow && (
          <button type="button" className="layer-count" onClick={() => onPanel("layers")}>
            <LayersIcon size={15} aria-hidden /> {say.layerCount(layers.layers.length)}
          </button>
        )}
        <ProblemCount narrow={narrow} onOpen={onProblems} />
        {!narrow && (
          <div className="editor-views" role="tablist" aria-label={say.view}>
            {VIEWS.map((each) => (
              <button
                key={each}
                type="button"
                role="tab"
                aria-selected={view === each}
                onClick={() => {
                  viewSetting.set(each);
                  onView(each);
                }}
              >
                {say[each]}
              </button>
            ))}
          </div>
        )}
        {mayPublish && <PublishButton run={run} onTests={() => onPanel("tests")} />}
      </div>
      <SavingAlert />
    </header>
  );
}
