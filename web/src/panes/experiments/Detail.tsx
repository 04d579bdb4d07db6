// One experiment: its enrolments, settings and lists, and what the agent can be asked to do with it.

import { MessageSquare, Play } from "lucide-react";
import type { ReactNode } from "react";
import { useMayWrite } from "../../app/access";
import { useAgentOf } from "../../app/agents";
import { dayText, numberText, useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Age, Disclosure, Loaded } from "../../ui";
import { AGENT, type Experiment, type ExperimentRow, type Members, experimentsApi } from "./api";
import { Enrolled } from "./Enrolled";
import { State } from "./State";
import { words } from "./words";

interface OpenedProps {
  id: string;
  row: ExperimentRow | undefined;
  all: readonly ExperimentRow[];
}

export function Opened({ id, row, all }: OpenedProps): ReactNode {
  const found = useResource(`experiment/${id}`, () => experimentsApi.one(id));
  return <Loaded of={found}>{(experiment) => <Facts of={experiment} row={row} all={all} />}</Loaded>;
}

function Facts({ of: each, row, all }: { of: Experiment } & Omit<OpenedProps, "id">): ReactNode {
  const say = useText(words);
  return (
    <article className="experiment">
      <header>
        <div>
          <h2>{each.name}</h2>
          <p className="entry-note">
            <State of={each.state} /> <span>{each.context}</span>
            {row?.created && (
              <span>
                {say.created} {dayText(row.created)}
              </span>
            )}
            {row?.updated && row.updated !== row.created && (
              <span>
                {say.changed} <Age of={row.updated} />
              </span>
            )}
          </p>
        </div>
        <Asking of={each} all={all} />
      </header>
      {each.description && <p>{each.description}</p>}
      <div className="experiment-parts">
        <Enrolled of={each} />
        <div className="experiment-side">
          <section aria-label={say.points}>
            <h3>{say.points}</h3>
            <ul className="experiment-points">
              {each.decision_points.map((point) => (
                <li key={`${point.site}/${point.target}`}>
                  <code>
                    {point.site}/{point.target}
                  </code>
                </li>
              ))}
            </ul>
          </section>
          <section aria-label={say.facts}>
            <h3>{say.facts}</h3>
            <Settings of={each} />
          </section>
          {(["include", "exclude"] as const).map((side) => (
            <Listed key={side} title={say[side]} members={each.members[side]} />
          ))}
        </div>
      </div>
    </article>
  );
}

/** Links to a new conversation with the agent that changes experiments, which begins with the name of this one. */
function Asking({ of: each, all }: { of: Experiment; all: readonly ExperimentRow[] }): ReactNode {
  const say = useText(words);
  const agent = useAgentOf()(AGENT);
  const mayWrite = useMayWrite();
  if (!agent) return null;
  if (!mayWrite) return <p className="faint">{say.readOnly}</p>;
  const hasNamesake = all.some((other) => other.name === each.name && other.id !== each.experiment_id);
  const name = hasNamesake ? say.withId(each.name, each.experiment_id) : say.named(each.name);
  const link = (draft: string) => hashOf("chat", [], { agent: AGENT, draft });
  return (
    <p className="experiment-actions">
      {each.state === "inactive" && (
        <a className="button button-primary" href={link(say.start(name))}>
          <Play size={15} aria-hidden />
          {say.askStart}
        </a>
      )}
      <a className="button" href={link(say.change(name))}>
        <MessageSquare size={15} aria-hidden />
        {say.askChange}
      </a>
    </p>
  );
}

/** How it assigns, in words; other values of the server are shown unchanged. */
function Settings({ of: each }: { of: Experiment }): ReactNode {
  const say = useText(words);
  const keeps: Record<string, string> = {
    individual: say.keepsIndividual,
    group: say.keepsGroup,
    experiment: say.keepsExperiment,
  };
  const modes: Record<string, string> = { includeAll: say.includeAll, excludeAll: say.excludeAll };
  const goals = (["users", "groups"] as const).flatMap((unit) =>
    each.goal?.[unit] ? [say[unit](numberText(each.goal[unit]))] : [],
  );
  const facts: [string, string][] = [
    [say.unit, each.unit === "group" ? `${say.group} (${each.group})` : say.individual],
    [say.consistency, keeps[each.consistency] ?? each.consistency],
    [say.filter_mode, modes[each.filter_mode] ?? each.filter_mode],
    [say.post_rule, each.post_rule === "assign" ? say.assign(each.revert_to ?? say.byDefault) : say.continue],
    [say.goal, goals.join(", ")],
    [say.tags, each.tags.join(", ")],
  ];
  return (
    <dl className="experiment-facts">
      {facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Listed({ title, members }: { title: string; members: Members }): ReactNode {
  const all = [...members.users, ...members.groups.map((each) => `${each.type} ${each.id}`)];
  if (all.length === 0) return null;
  return (
    <Disclosure summary={`${title} (${numberText(all.length)})`}>
      {() => <p className="mono">{all.join(", ")}</p>}
    </Disclosure>
  );
}
