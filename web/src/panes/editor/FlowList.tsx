// The list of the flows that can be edited, with their descriptions, problems and drafts.

import "./flowList.css";
import {
  Bot,
  CircleAlert,
  Ellipsis,
  FlaskConical,
  History,
  MessageSquare,
  MessagesSquare,
  Route,
  TriangleAlert,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import { type ShownAgent, useAgents } from "../../app/agents";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { Age, Badge, Empty, IconButton, Loaded, Menu, MenuItem, SearchField } from "../../ui";
import { visible } from "../../ui/visible";
import { AgentTile } from "../chat/agentLook";
import { type FlowOfAgent, editorApi } from "./api";
import { NewAgent } from "./NewAgent";
import { words } from "./words";

const FEW = 8; // agents that are found without a search

export function FlowList(): ReactNode {
  const say = useText(words);
  const flows = useResource("flows", editorApi.flows);
  const agents = useAgents();
  const known = new Map(agents.data?.map((each) => [each.name, each]));
  const [wanted, setWanted] = useState("");
  const query = wanted.trim().toLowerCase();
  const fits = ({ agent, title }: FlowOfAgent) => {
    const shown = known.get(agent);
    return [agent, title, shown?.title, shown?.about, shown?.description].join(" ").toLowerCase().includes(query);
  };
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        {(flows.data?.items.length ?? 0) > FEW && (
          <SearchField className="flow-find" label={say.findFlow} value={wanted} onChange={setWanted} />
        )}
        <NewAgent onMade={() => void flows.reload()} />
      </header>
      <div className="pane-body flow-list">
        <Loaded of={flows} shape="list" lines={8}>
          {({ items }) => (
            <ul className="flow-rows" aria-label={say.choose}>
              {items.filter(fits).map((each) => (
                <li key={each.agent}>
                  <Row flow={each} agent={known.get(each.agent)} />
                </li>
              ))}
              {!items.some(fits) && (
                <li>
                  <Empty icon={Bot} title={say.noFlow} />
                </li>
              )}
            </ul>
          )}
        </Loaded>
      </div>
    </section>
  );
}

function Row({ flow, agent }: { flow: FlowOfAgent; agent: ShownAgent | undefined }): ReactNode {
  const say = useText(words);
  const title = visible(agent?.title || flow.title);
  const about = agent?.about || agent?.description;
  return (
    <article className="flow-row">
      <AgentTile name={flow.agent} agent={agent} size={36} />
      <div className="flow-row-text">
        <h2>
          <a href={hashOf("editor", [flow.agent])}>{title}</a> <code>{visible(flow.agent)}</code>
        </h2>
        {agent && !about ? (
          <a className="flow-row-add" href={hashOf("editor", [flow.agent], { panel: "properties" })}>
            {say.addDescription}
          </a>
        ) : (
          <p className="cut">{visible(about ?? "")}</p>
        )}
        {flow.problem && (
          <p className="flow-row-problem bad-text">
            <CircleAlert size={14} aria-hidden /> {visible(flow.problem)}
          </p>
        )}
      </div>
      <State flow={flow} />
      <span className="flow-row-fact">{agent && say.nodeCount(agent.nodes)}</span>
      <span className="flow-row-fact">
        {flow.edited && (
          <>
            {say.changed} <Age of={flow.edited} />
          </>
        )}
      </span>
      <span className="flow-row-acts">
        <a
          className="button button-quiet"
          href={hashOf("chat", [], { agent: flow.agent })}
          aria-label={say.chatWithAgent(title)}
        >
          <MessageSquare size={14} aria-hidden /> <span>{say.chatWith}</span>
        </a>
        <Menu label={say.actionsOf(title)} button={<IconButton icon={Ellipsis} label={say.actionsOf(title)} />}>
          {() => (
            <>
              <MenuItem icon={MessagesSquare} onSelect={() => go(hashOf("editor", [flow.agent], { panel: "try" }))}>
                {say.try}
              </MenuItem>
              <MenuItem icon={FlaskConical} onSelect={() => go(hashOf("editor", [flow.agent], { panel: "tests" }))}>
                {say.tests}
              </MenuItem>
              <MenuItem icon={History} onSelect={() => go(hashOf("editor", [flow.agent], { panel: "versions" }))}>
                {say.versions}
              </MenuItem>
              <MenuItem icon={Route} onSelect={() => go(hashOf("trace", [], { agent: flow.agent }))}>
                {say.traces}
              </MenuItem>
            </>
          )}
        </Menu>
      </span>
    </article>
  );
}

/** The draft of a flow: whether it differs from the active document, and its errors and warnings. */
async function stateOf(agent: string): Promise<{ isActive: boolean; errors: number; warnings: number }> {
  const { text, active } = await editorApi.draft(agent);
  const { diagnostics } = await editorApi.check(agent, text);
  const count = (severity: string) => diagnostics.filter((each) => each.severity === severity).length;
  return { isActive: text === active, errors: count("error"), warnings: count("warning") };
}

/** The problems and unpublished changes of a flow. The list does not wait for the check of drafts. */
function State({ flow }: { flow: FlowOfAgent }): ReactNode {
  const say = useText(words);
  const { data } = useResource(flow.draft > 0 ? `state of draft:${flow.agent}` : null, () => stateOf(flow.agent));
  return (
    <span className="flow-row-state">
      {data && data.errors + data.warnings > 0 && (
        <Badge tone={data.errors > 0 ? "bad" : "warn"}>
          {data.errors > 0 ? <CircleAlert size={12} aria-hidden /> : <TriangleAlert size={12} aria-hidden />}
          {say.problems(data.errors, data.warnings)}
        </Badge>
      )}
      {flow.file_changed && <Badge tone="warn">{say.fileChanged}</Badge>}
      {data && !data.isActive && <Badge tone="accent">{say.draft}</Badge>}
      {flow.version > 0 && <Badge>{say.version(flow.version)}</Badge>}
    </span>
  );
}
