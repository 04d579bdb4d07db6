// The experiments of the UpGrade server: a list, and the number of enrolled users in each condition of one.

import "./experiments.css";
import { FlaskConical, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { PaneProps } from "..";
import { useCommands } from "../../app/commands";
import { numberText, texts, useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Badge, Disclosure, Empty, IconButton, Loaded, type Tone } from "../../ui";
import { type Experiment, type Members, type Split, experimentsApi } from "./api";

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
  mark: ["The line in a bar is the share by weight.", "Der Strich im Balken ist der Anteil nach Gewicht."],
  noneCounted: ["Nobody has got a condition yet.", "Noch hat niemand eine Bedingung bekommen."],
  oneCondition: ["There is only one condition to get.", "Es gibt nur eine Bedingung zu bekommen."],
  weightless: [
    "The split is not fair: somebody got a condition whose weight is 0.",
    "Die Aufteilung stimmt nicht: Jemand bekam eine Bedingung mit dem Gewicht 0.",
  ],
  degrees: [
    (n: number) => (n === 1 ? "1 degree of freedom" : `${n} degrees of freedom`),
    (n: number) => (n === 1 ? "1 Freiheitsgrad" : `${n} Freiheitsgrade`),
  ],
  fits: [
    (figures: string) => `The split fits the weights (${figures}).`,
    (figures: string) => `Die Aufteilung passt zu den Gewichten (${figures}).`,
  ],
  fitsNot: [
    (figures: string) =>
      `The split does not fit the weights (${figures}): a fair one is as uneven in less than 1 % of cases.`,
    (figures: string) =>
      `Die Aufteilung passt nicht zu den Gewichten (${figures}): So ungleich fällt eine faire in weniger als 1 % der Fälle aus.`,
  ],
  fewCounted: [
    (figures: string) => `There are too few to judge the split (${figures}).`,
    (figures: string) => `Es sind zu wenige, um die Aufteilung zu beurteilen (${figures}).`,
  ],
  local: ["the local service", "dem lokalen Dienst"],
  unit: ["Assigned", "Zugewiesen"],
  individual: ["single users", "einzelne Personen"],
  group: ["groups", "Gruppen"],
  consistency: ["Consistency", "Beständigkeit"],
  keepsIndividual: ["a user keeps the condition", "eine Person behält die Bedingung"],
  keepsGroup: ["a group keeps the condition", "eine Gruppe behält die Bedingung"],
  keepsExperiment: ["decided anew for those who are not enrolled", "für alle, die nicht teilnehmen, neu entschieden"],
  filter_mode: ["Who takes part", "Wer teilnimmt"],
  includeAll: ["everybody who is not excluded", "alle, die nicht ausgeschlossen sind"],
  excludeAll: ["only who is included", "nur, wer eingeschlossen ist"],
  post_rule: ["Once it is paused", "Solange pausiert"],
  continue: ["those enrolled keep their condition", "Teilnehmer behalten ihre Bedingung"],
  assign: [(code: string) => `all get ${code}`, (code: string) => `alle bekommen ${code}`],
  byDefault: ["the default", "die Voreinstellung"],
  goal: ["Ends after", "Endet nach"],
  tags: ["Tags", "Stichworte"],
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
  const list = useResource("experiments", () => experimentsApi.list());
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
          {({ items, total, server, local }) =>
            items.length === 0 && !chosen ? (
              <Empty icon={FlaskConical} title={say.none}>
                <p>{say.noneHint}</p>
              </Empty>
            ) : (
              <div className="split">
                <nav aria-label={say.title}>
                  <p className="muted experiments-count">{say.of(items.length, total, local ? say.local : server)}</p>
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
  const found = useResource(`experiment/${id}`, () => experimentsApi.one(id));
  return <Loaded of={found}>{(experiment) => <Facts of={experiment} />}</Loaded>;
}

function Facts({ of: each }: { of: Experiment }): ReactNode {
  const say = useText(words);
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
        <Settings of={each} />
      </section>
      {(["include", "exclude"] as const).map((side) => (
        <Listed key={side} title={say[side]} members={each.members[side]} />
      ))}
    </article>
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

/** The result of the test of the split, in a sentence. */
function splitText({ fair, chi_square, degrees, p_value, enough }: Split, say: (typeof words)["en"]): string {
  if (fair === null || p_value === null) return say.noneCounted;
  if (degrees === 0) return say.oneCondition;
  if (chi_square === null) return say.weightless;
  const chance = p_value < 0.0001 ? `p < ${numberText(0.0001, 4)}` : `p = ${numberText(p_value, 4)}`;
  const figures = `χ² = ${numberText(chi_square, 2)}, ${say.degrees(degrees)}, ${chance}`;
  if (!enough) return say.fewCounted(figures);
  return fair ? say.fits(figures) : say.fitsNot(figures);
}

/** One bar for each condition: its proportion of all, with a mark at its weight. */
function Enrolled({ of: each }: { of: Experiment }): ReactNode {
  const say = useText(words);
  const { enrollment } = each;
  const unit = enrollment?.groups === undefined ? "users" : "groups";
  const rows = enrollment?.conditions ?? each.conditions.map((one) => ({ ...one, users: 0, groups: 0 }));
  const all = rows.reduce((sum, row) => sum + row[unit], 0);
  const weights = rows.reduce((sum, row) => sum + row.weight, 0);
  const begun = each.state !== "inactive" || all > 0;
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
      {enrollment && begun ? (
        <p className="muted">
          {say.users(numberText(enrollment.users))}, {say.excluded(numberText(enrollment.excluded_users))}.{" "}
          {enrollment.split && splitText(enrollment.split, say)} {say.mark}
        </p>
      ) : (
        <p className="muted">{say.notBegun}</p>
      )}
    </section>
  );
}
