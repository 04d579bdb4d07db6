// The choice of an agent: every agent with its requirements, and the model that answers.

import "./AgentPicker.css";
import { FileUp, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Agent } from "../../api";
import { useText } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { Badge } from "../../ui";
import { words } from "./words";

export function AgentPicker(props: { agents: Agent[]; chosen: string; onChoose(name: string): void }): ReactNode {
  const say = useText(words);
  const called: Record<string, string> = {
    model: say.needsModel,
    graph: say.needsGraph,
    sandbox: say.needsSandbox,
    mcp: say.needsMcp,
  };
  return (
    <div className="picker">
      <h2>{say.pickTitle}</h2>
      <p className="muted">{say.pickText}</p>
      <div className="picker-list" role="radiogroup" aria-label={say.pickTitle}>
        {props.agents.map((agent) => (
          <label key={agent.name} className="agent-card">
            <input
              type="radio"
              name="agent"
              className="visually-hidden"
              aria-labelledby={`agent-${agent.name}`}
              aria-describedby={agent.description ? `agent-${agent.name}-does` : undefined}
              checked={agent.name === props.chosen}
              onChange={() => props.onChoose(agent.name)}
            />
            <span className="agent-title" id={`agent-${agent.name}`}>
              {agent.title}
            </span>
            <span className="agent-name mono">{agent.name}</span>
            {agent.description && (
              <span className="agent-does" id={`agent-${agent.name}-does`}>
                {agent.description}
              </span>
            )}
            <span className="agent-facts">
              <ModelBadge model={agent.model} />
              {agent.score && <Badge>{say.score(agent.score.right, agent.score.cases)}</Badge>}
              {agent.takes_files && (
                <Badge>
                  <FileUp size={11} aria-hidden /> {say.takesFiles}
                </Badge>
              )}
              {!agent.ready && (
                <Badge tone="warn">
                  <TriangleAlert size={11} aria-hidden /> {say.notReady}
                </Badge>
              )}
            </span>
            {agent.needs.length > 0 && (
              <span className="agent-needs">
                {say.needs}: {agent.needs.map((each) => called[each] ?? each).join(" · ")}
              </span>
            )}
            {agent.problems.map((each, index) => (
              <NotReady key={index} of={each} />
            ))}
          </label>
        ))}
      </div>
    </div>
  );
}

function NotReady({ of: each }: { of: Agent["problems"][number] }): ReactNode {
  const { text, more } = wordsOf({ ...each, detail: each.message });
  return <span className="agent-needs">{more ? `${text} ${more}` : text}</span>;
}

/** The model that answers; for a model file, its name without the folders. */
export function ModelBadge({ model }: { model: string }): ReactNode {
  const say = useText(words);
  return <Badge>{model && model !== "none" ? model.replace(/^(\w+:).*\//, "$1") : say.withoutModel}</Badge>;
}
