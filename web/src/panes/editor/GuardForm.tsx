// When an edge is taken: a choice, conditions in rows, and the expression that says the same.

import { Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { readable } from "../../app/readable";
import type { Flow, FlowEdge } from "../../flow-canvas/flow";
import { Button, IconButton } from "../../ui";
import { Choice, FieldFrame, type FieldProps } from "./fields";
import { formWords } from "./formWords";
import { ExpressionInput } from "./ExpressionInput";
import {
  answersAfter,
  COMPARISONS,
  comparing,
  type Condition,
  type Guard,
  guardOf,
  subjectOf,
  textOf,
} from "./model/guard";
import { Scalar } from "./Scalar";
import { useSessionState } from "./useSession";

interface Props extends FieldProps {
  of: FlowEdge;
  flow: Flow;
  value: string;
  onChange(next: string | undefined): void;
}

/** The names of answers and channels that a condition can compare. */
function useSubjects(flow: Flow): string[] {
  const { checked } = useSessionState();
  const known = checked?.names.filter((each) => each.kind !== "predicate").map((each) => each.name) ?? [];
  if (known.length > 0) return known;
  return [...flow.nodes.values()].flatMap(({ data }) => (typeof data.key === "string" ? [`answers.${data.key}`] : []));
}

export function GuardForm({ of, flow, value, onChange, ...about }: Props): ReactNode {
  const say = useText(formWords);
  const subjects = useSubjects(flow);
  const [asRows, setAsRows] = useState(false);
  const guard = guardOf(value);
  const answers = answersAfter(flow, of).map((each) => ({
    ...each,
    title: each.title ? say.takenAnswer(each.title) : each.value === true ? say.takenYes : say.takenNo,
  }));
  const [only, ...others] = guard.conditions;
  const answer =
    only && others.length === 0
      ? answers.find((each) => each.guard === textOf({ join: "&&", conditions: [{ ...only }] }))
      : undefined;
  const isRows = value !== "" && value !== "else" && (asRows || answer === undefined);
  const shown =
    value === "" ? say.takenAlways : value === "else" ? say.takenElse : isRows ? say.takenIf : answer?.title;
  const choose = (title: string) => {
    const chosen = answers.find((each) => each.title === title);
    setAsRows(title === say.takenIf);
    if (chosen) onChange(chosen.guard);
    else if (title === say.takenAlways) onChange(undefined);
    else if (title === say.takenElse) onChange("else");
    else if (value === "" || value === "else") {
      const own = flow.nodes.get(of.from)?.data.key;
      const name = typeof own === "string" ? `answers.${own}` : subjects[0];
      if (name) onChange((answers[0]?.guard ?? comparing(flow, name, "given").source) || undefined);
    }
  };
  return (
    <>
      <Choice
        label={say.taken}
        value={shown ?? ""}
        choices={[say.takenAlways, ...answers.map((each) => each.title), say.takenIf, say.takenElse]}
        required
        disabled={about.disabled}
        onChange={choose}
      />
      {isRows && (
        <Conditions guard={guard} flow={flow} subjects={subjects} disabled={about.disabled} onChange={onChange} />
      )}
      {value !== "else" && (
        <ExpressionInput {...about} flow={flow} value={value} onChange={(next) => onChange(next || undefined)} />
      )}
    </>
  );
}

interface ConditionsProps {
  guard: Guard;
  flow: Flow;
  subjects: readonly string[];
  disabled: boolean;
  onChange(next: string | undefined): void;
}

function Conditions({ guard, flow, subjects, disabled, onChange }: ConditionsProps): ReactNode {
  const say = useText(formWords);
  const put = (conditions: Condition[], join = guard.join) => onChange(textOf({ join, conditions }) || undefined);
  const { conditions } = guard;
  return (
    <FieldFrame label={say.conditions}>
      <ul className="form-rows">
        {conditions.map((each, index) => (
          <li key={index} className="form-row" role="group" aria-label={say.condition(index + 1)}>
            <Row
              of={each}
              flow={flow}
              subjects={subjects}
              disabled={disabled}
              onChange={(next) => put(conditions.map((one) => (one === each ? next : one)))}
            />
            <IconButton
              icon={X}
              label={say.removeCondition}
              disabled={disabled}
              onClick={() => put(conditions.filter((one) => one !== each))}
            />
          </li>
        ))}
      </ul>
      <div className="form-row-tools">
        <Button
          icon={Plus}
          look="quiet"
          disabled={disabled || subjects.length === 0}
          onClick={() => put([...conditions, comparing(flow, subjects[0] ?? "", "given")])}
        >
          {say.addCondition}
        </Button>
        {conditions.length > 1 && (
          <select
            aria-label={say.join}
            value={guard.join}
            disabled={disabled}
            onChange={(event) => put(conditions, event.target.value === "||" ? "||" : "&&")}
          >
            <option value="&&">{say.allHold}</option>
            <option value="||">{say.oneHolds}</option>
          </select>
        )}
      </div>
    </FieldFrame>
  );
}

interface RowProps {
  of: Condition;
  flow: Flow;
  subjects: readonly string[];
  disabled: boolean;
  onChange(next: Condition): void;
}

function Row({ of, flow, subjects, disabled, onChange }: RowProps): ReactNode {
  const say = useText(formWords);
  if (of.test === "text") return <code className="form-row-text">{of.source}</code>;
  const subject = subjectOf(flow, of.name);
  const isOrdered = subject.kind === "number" || subject.kind === "integer";
  const offered = COMPARISONS.filter((each) => isOrdered || each === of.test || each === "==" || each === "!=");
  const names = subjects.includes(of.name) ? subjects : [of.name, ...subjects];
  const value = "value" in of ? of.value : undefined;
  const change = (name: string, test: Condition["test"], next?: Json) => onChange(comparing(flow, name, test, next));
  return (
    <>
      <select
        className="form-row-subject"
        aria-label={say.subject}
        value={of.name}
        disabled={disabled}
        onChange={(event) => change(event.target.value, of.test, value)}
      >
        {names.map((each) => (
          <option key={each} value={each}>
            {readable(each.replace(/^answers\./, "").replaceAll(".", " "))}
          </option>
        ))}
      </select>
      <select
        className="form-row-test"
        aria-label={say.comparison}
        value={of.test}
        disabled={disabled}
        onChange={(event) => change(of.name, event.target.value as Condition["test"], value)}
      >
        {[...offered, "given" as const, "missing" as const].map((each) => (
          <option key={each} value={each}>
            {say[each]}
          </option>
        ))}
      </select>
      {value !== undefined && (
        <Scalar
          label={say.value}
          value={value}
          kind={subject.kind}
          options={subject.options}
          disabled={disabled}
          onChange={(next) => change(of.name, of.test, next)}
        />
      )}
    </>
  );
}
