// The experiments of the UpGrade server: which there are, and how many are enrolled in each condition of one.

import "./experiments.css";
import { FlaskConical, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { PaneProps } from "..";
import { type Experiment, type Members, api } from "../../api";
import { useCommands } from "../../app/commands";
import { numberText, texts, useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Badge, Disclosure, Empty, IconButton, Loaded, type Tone } from "../../ui";
import { JsonView } from "../../ui/json";

const words = texts({
  title: ["Experiments", "Experimente"],
  reload: ["Ask the server again", "Server erneut fragen"],
  of: [
    (shown: number, all: number, server: string) => `${shown} of ${all} on ${server}`,
    (shown: number, all: number, server: string) => `${shown} von ${all} auf ${server}`,
  ],
  none: ["There is no experiment yet", "Es gibt noch kein Experiment"],
  noneHint: ["Ask the agent for UpGrade experiments to make one.", "Der Agent für UpGrade-Experimente legt eines an."],
  choose: ["Choose an experiment", "Wählen Sie ein Experiment"],
  chooseHint: ["Its conditions and enrolments stand here then.", "Hier stehen dann Bedingungen und Teilnehmer."],
  enrolled: ["Enrolled per condition", "Teilnehmer je Bedingung"],
  notBegun: [
    "Nobody is enrolled before it is started. Ask the agent to start it.",
    "Vor dem Start nimmt niemand teil. Der Agent kann es starten.",
  ],
  users: [(n: string) => `${n} users`, (n: string) => `${n} Personen`],
  groups: [(n: string) => `${n} groups`, (n: string) => `${n} Gruppen`],
  excluded: [(n: string) => `${n} users excluded`, (n: string) => `${n} Personen ausgeschlossen`],
  weight: [(n: string) => `weight ${n}`, (n: string) => `Gewicht ${n}`],
  points: ["Decision points", "Entscheidungspunkte"],
  facts: ["Settings", "Einstellungen"],
  include: ["Included", "Eingeschlossen"],
  exclude: ["Excluded", "Ausgeschlossen"],
});

const states = texts({
  inactive: ["inactive", "inaktiv"],
  scheduled: ["scheduled", "geplant"],
  preview: ["preview", "Vorschau"],
  enrolling: ["enrolling", "läuft"],
  enrollmentComplete: ["complete", "abgeschlossen"],
  cancelled: ["cancelled", "abgebrochen"],
  archived: ["archived", "archiviert"],
  draft: ["draft", "Entwurf"],
});

const TONES: Record<string, Tone> = { enrolling: "good", enrollmentComplete: "accent", cancelled: "bad" };

function State({ of: state }: { of: string }): ReactNode {
  const say: Record<string, string> = useText(states);
  return <Badge tone={TONES[state] ?? "neutral"}>{say[state] ?? state}</Badge>;
}

export default function Experiments({ rest }: PaneProps): ReactNode {
  const say = useText(words);
  const chosen = rest[0] ?? "";
  const list = useResource("experiments", () => api.experiments());
  const reload = () => invalidate("experiment");
  useCommands([
    { id: "experiments.reload", group: say.title, title: say.reload, keys: "r", icon: RefreshCw, run: reload },
  ]);
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{say.title}</h1>
        <IconButton icon={RefreshCw} label={say.reload} keys="r" onClick={reload} />
      </header>
      <div className="pane-body">
        <Loaded of={list} lines={6}>
          {({ items, total, server }) =>
            items.length === 0 && !chosen ? (
              <Empty icon={FlaskConical} title={say.none}>
                <p>{say.noneHint}</p>
              </Empty>
            ) : (
              <div className="split">
                <nav aria-label={say.title}>
                  <p className="muted experiments-count">{say.of(items.length, total, server)}</p>
                  <ul className="entries">
                    {items.map((each) => (
                      <li key={each.id}>
                        <a
                          href={hashOf("experiments", [each.id])}
                          aria-current={each.id === chosen ? "page" : undefined}
                        >
                          {each.name}
                          <span className="entry-note">
                            <State of={each.state} />
                            {each.context}
                          </span>
                        </a>
                      </li>
                    ))}
                  </ul>
                </nav>
                {chosen ? (
                  <Opened key={chosen} id={chosen} />
                ) : (
                  <Empty icon={FlaskConical} title={say.choose}>
                    <p>{say.chooseHint}</p>
                  </Empty>
                )}
              </div>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

function Opened({ id }: { id: string }): ReactNode {
  const found = useResource(`experiment/${id}`, () => api.experiment(id));
  return <Loaded of={found}>{(experiment) => <Facts of={experiment} />}</Loaded>;
}

function Facts({ of: each }: { of: Experiment }): ReactNode {
  const say = useText(words);
  const { unit, group, consistency, post_rule, revert_to, filter_mode, tags, goal } = each;
  return (
    <article className="experiment">
      <header>
        <h2>{each.name}</h2>
        <p className="entry-note">
          <State of={each.state} /> {each.context}
        </p>
        {each.description && <p>{each.description}</p>}
      </header>
      <Enrolled of={each} />
      <section aria-label={say.points}>
        <h3>{say.points}</h3>
        <ul className="experiment-points mono">
          {each.decision_points.map((point) => (
            <li key={`${point.site}/${point.target}`}>
              {point.site}/{point.target}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={say.facts}>
        <h3>{say.facts}</h3>
        <JsonView value={{ unit, group, consistency, post_rule, revert_to, filter_mode, tags, goal }} />
      </section>
      {(["include", "exclude"] as const).map((side) => (
        <Listed key={side} title={say[side]} members={each.members[side]} />
      ))}
    </article>
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

/** A bar a condition: how many of all are in it, and a mark where its weight would have it. */
function Enrolled({ of: each }: { of: Experiment }): ReactNode {
  const say = useText(words);
  const { enrollment } = each;
  const unit = enrollment?.groups === undefined ? "users" : "groups";
  const rows = enrollment?.conditions ?? each.conditions.map((one) => ({ ...one, users: 0, groups: 0 }));
  const all = rows.reduce((sum, row) => sum + row[unit], 0);
  const weights = rows.reduce((sum, row) => sum + row.weight, 0);
  const share = (part: number, whole: number) => `${whole > 0 ? (100 * part) / whole : 0}%`;
  return (
    <section aria-label={say.enrolled}>
      <h3>{say.enrolled}</h3>
      <ul className="bars">
        {rows.map((row) => (
          <li key={row.code}>
            <span className="bars-name">{row.code}</span>
            <span className="muted">
              {say[unit](numberText(row[unit]))} · {say.weight(numberText(row.weight, 2))}
            </span>
            <span className="bars-frame" aria-hidden>
              <span className="bars-bar" style={{ width: share(row[unit], all) }} />
              <span className="bars-mark" style={{ left: share(row.weight, weights) }} />
            </span>
          </li>
        ))}
      </ul>
      {enrollment ? (
        <p className="muted">
          {say.users(numberText(enrollment.users))}, {say.excluded(numberText(enrollment.excluded_users))}.{" "}
          {enrollment.split}
        </p>
      ) : (
        <p className="muted">{say.notBegun}</p>
      )}
    </section>
  );
}
