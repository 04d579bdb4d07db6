// The change of an experiment, before and after: a row for each field that it sets, in the words of people.

import type { ReactNode } from "react";
import type { Json, JsonObject, Support } from "../../api";
import { texts, useText } from "../../app/language";
import { readable } from "../../app/readable";
import { JsonView, isObject } from "../../ui/json";
import type { words as chatWords } from "./words";
import { words } from "./words";

const fields = texts({
  name: ["Name", "Name"],
  context: ["Context", "Kontext"],
  description: ["Description", "Beschreibung"],
  state: ["State", "Zustand"],
  conditions: ["Conditions", "Bedingungen"],
  code: ["Condition", "Bedingung"],
  weight: ["Weight in %", "Gewicht in %"],
  decision_points: ["Decision points", "Entscheidungspunkte"],
  site: ["Site", "Ort"],
  target: ["Target", "Ziel"],
  exclude_if_reached: ["Exclude if reached before", "Ausschließen, wenn schon erreicht"],
  filter_mode: ["Who takes part", "Wer teilnimmt"],
  unit: ["Assigned to", "Zugewiesen an"],
  group: ["Group", "Gruppe"],
  consistency: ["Condition is kept by", "Bedingung gilt für"],
  post_rule: ["Once it is paused", "Sobald es pausiert ist"],
  revert_to: ["Then everybody gets", "Danach erhalten alle"],
  user_id: ["User", "Benutzer"],
  users: ["Users", "Benutzer"],
});

const values = texts({
  includeAll: ["everybody, unless excluded", "alle, sofern nicht ausgeschlossen"],
  excludeAll: ["nobody, unless included", "niemand, sofern nicht eingeschlossen"],
  individual: ["each user", "jeden Benutzer"],
  group: ["each group", "jede Gruppe"],
  experiment: ["the whole experiment", "das ganze Experiment"],
  continue: ["those enrolled keep their condition", "Teilnehmer behalten ihre Bedingung"],
  assign: ["everybody gets one condition", "alle erhalten eine Bedingung"],
});

const WORDED = new Set(["filter_mode", "unit", "consistency", "post_rule"]);

/** The name of a field of an experiment for people, or null. */
export function fieldName(name: string, say: (typeof chatWords)["en"]): string | null {
  const all: Record<string, string> = say === words.de ? fields.de : fields.en;
  return Object.hasOwn(all, name) ? (all[name] ?? null) : null;
}

export function Experiment({ over, marks }: { over: JsonObject; marks: Record<string, Support> }): ReactNode {
  const say = useText(words);
  const worded: Record<string, string> = useText(values);
  const given = isObject(over.action_params) ? over.action_params : {};
  const before = isObject(over.about) ? over.about : {};
  const plain = (name: string): string => name.replace(/^new_/, "");
  const now = (name: string): Json | undefined => before[plain(name)];
  const label = (name: string): string => fieldName(name, say) ?? readable(name);
  const valueOf = (name: string, value: Json): Json =>
    WORDED.has(plain(name)) && typeof value === "string" ? (worded[value] ?? value) : value;
  const order = Object.keys(fields.en);
  const rank = (name: string): number => (order.indexOf(plain(name)) + order.length + 1) % (order.length + 1);
  const set = Object.entries(given)
    .filter(([name, value]) => value !== null && name !== "experiment_id")
    .sort(([one], [other]) => rank(one) - rank(other));
  const known = set.some(([name]) => now(name) !== undefined);
  const place = typeof over.place === "string" ? over.place : "";
  const about = typeof before.name === "string" ? before.name : "";
  return (
    <>
      {(about || place) && (
        <p className="approval-action">
          {about && <strong>{about}</strong>}
          {place && <span className="muted">{`${about ? " · " : ""}${say.server}: ${place}`}</span>}
        </p>
      )}
      {set.length > 0 && (
        <div className="table-frame approval-fields" role="region" aria-label={say.approvalExperiment} tabIndex={0}>
          <table>
            <thead className={known ? undefined : "visually-hidden"}>
              <tr>
                <th scope="col">{say.field}</th>
                {known && <th scope="col">{say.before}</th>}
                <th scope="col">{say.after}</th>
              </tr>
            </thead>
            <tbody>
              {set.map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{label(plain(name))}</th>
                  {known && (
                    <td className="before">
                      <span className="approval-when">{say.before}</span>
                      {now(name) === undefined ? (
                        <span className="faint">{say.none}</span>
                      ) : (
                        <JsonView value={valueOf(name, now(name) ?? null)} label={label} />
                      )}
                    </td>
                  )}
                  <td>
                    {known && <span className="approval-when">{say.after}</span>}
                    <JsonView
                      value={valueOf(name, value)}
                      marks={marks}
                      path={`action_params.${name}`}
                      before={now(name) === undefined ? undefined : valueOf(name, now(name) ?? null)}
                      label={label}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
