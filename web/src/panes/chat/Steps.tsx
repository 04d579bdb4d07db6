// The steps of an agent in a turn: model calls, tools with arguments and results, programs, and committed values.

import "./Steps.css";
import { Bot, Check, CircleAlert, Code2, CornerDownRight, Wrench, X } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { type ReactNode, memo, useMemo } from "react";
import type { Json, RunEvent } from "../../api";
import { moneyText, numberText, secondsText, useText } from "../../app/language";
import { useNodeNames } from "../../app/nodes";
import { spelled } from "../../app/readable";
import { Disclosure } from "../../ui";
import { JsonView, isObject } from "../../ui/json";
import { Code } from "./Code";
import { type Step, stepsOf, summaryOf } from "./steps";
import { words } from "./words";
import { visible } from "../../ui/visible";

interface Props {
  events: readonly RunEvent[];
  /** The turn is in progress, at this node. */
  live?: boolean;
  node?: string;
  /** The connection is lost, so the progress is unknown. */
  lost?: boolean;
  /** The cost of the model calls, if they have a price. */
  cost?: number;
  currency?: string;
  /** How long the turn took. */
  seconds?: number;
}

export const Steps = memo(function Steps({ events, live, node, lost, cost, currency, seconds = 0 }: Props): ReactNode {
  const say = useText(words);
  const nameOf = useNodeNames();
  const steps = useMemo(() => stepsOf(events), [events]);
  const { calls, tools, tokens } = useMemo(() => summaryOf(steps), [steps]);
  const working = (
    <span className={lost ? "working bad-text" : "working"}>
      {lost ? say.lost : say.working}
      {node && !lost && <span className="faint"> · {nameOf(node)}</span>}
    </span>
  );
  if (steps.length === 0) return live ? <p>{working}</p> : null;
  const facts = [
    calls > 0 && say.calls(calls),
    tools > 0 && say.tools(tools),
    tokens > 0 && say.tokens(numberText(tokens)),
    cost !== undefined && cost > 0 && currency && moneyText(cost, currency),
    seconds >= 0.05 && `${secondsText(seconds)} s`,
  ].filter(Boolean);
  return (
    <div className="steps">
      <Disclosure
        summary={
          <span>
            {live ? working : say.how}
            {facts.length > 0 && <span className="faint"> · {facts.join(" · ")}</span>}
          </span>
        }
      >
        {() => (
          <ol className="step-list">
            {steps.map((step, index) => (
              <li key={index}>
                <StepCard step={step} />
              </li>
            ))}
          </ol>
        )}
      </Disclosure>
    </div>
  );
});

function Row(props: {
  icon: LucideIcon;
  name: ReactNode;
  note?: ReactNode;
  seconds?: number;
  bad?: boolean;
}): ReactNode {
  const { icon: Icon, seconds } = props;
  return (
    <span className={props.bad ? "step step-bad" : "step"}>
      <Icon size={14} aria-hidden />
      <span className="step-name">{props.name}</span>
      <span className="step-note cut">{props.note}</span>
      {seconds !== undefined && seconds >= 0.05 && <span className="faint step-time">{numberText(seconds, 1)} s</span>}
    </span>
  );
}

/** A value on one line. */
export function brief(value: Json, most = 200): string {
  const text =
    typeof value === "string"
      ? value
      : Array.isArray(value)
        ? `[${value.map((item) => brief(item, 40)).join(", ")}]`
        : value !== null && typeof value === "object"
          ? Object.entries(value)
              .filter(([, item]) => item !== "" && item !== null && !(Array.isArray(item) && item.length === 0))
              .map(([name, item]) => `${name}: ${brief(item, 60)}`)
              .join(", ")
          : String(value);
  return visible(text.length > most ? `${text.slice(0, most)}…` : text);
}

/** The name of a model, without the folders of its file. */
const modelName = (model: string): string => model.replace(/^(\w+:).*\//, "$1");

function StepCard({ step }: { step: Step }): ReactNode {
  const say = useText(words);
  const nameOf = useNodeNames();
  switch (step.kind) {
    case "tool":
      return (
        <Disclosure
          className="card"
          summary={
            <Row
              icon={Wrench}
              name={<code>{step.tool}</code>}
              note={step.error || (step.given !== null && brief(step.given))}
              seconds={step.seconds}
              bad={step.error !== ""}
            />
          }
        >
          {() => (
            <>
              {step.given !== null && (
                <Part title={say.arguments}>
                  <JsonView value={step.given} />
                </Part>
              )}
              {step.error && <p className="bad-text">{step.error}</p>}
              {step.result !== null && (
                <Part title={say.result}>
                  <JsonView value={step.result} />
                </Part>
              )}
            </>
          )}
        </Disclosure>
      );
    case "program":
      return (
        <Disclosure
          className="card"
          summary={
            <Row
              icon={Code2}
              name={say.program}
              note={step.error || brief(step.code.replaceAll("\n", " "))}
              bad={step.error !== ""}
            />
          }
        >
          {() => (
            <>
              <Code code={step.code} language={/^\s*(MATCH|CREATE|MERGE)\b/i.test(step.code) ? "cypher" : "python"} />
              {step.error && <p className="bad-text">{step.error}</p>}
              {step.result && (
                <Part title={say.result}>
                  <pre className="plain-result">{visible(step.result)}</pre>
                </Part>
              )}
            </>
          )}
        </Disclosure>
      );
    case "model": {
      const { call, text } = step.answer;
      const calls = isObject(call) ? Object.entries(call) : [];
      const said = calls.length > 0 ? calls.map(([name]) => spelled(name)).join(", ") : brief(text ?? "");
      return (
        <Disclosure
          className="card"
          summary={
            <Row
              icon={Bot}
              name={say.modelCall}
              note={step.error || said}
              seconds={step.seconds}
              bad={step.error !== ""}
            />
          }
        >
          {() => (
            <>
              <p className="faint">
                {[nameOf(step.node), modelName(step.model), say.tokens(numberText(step.tokens))].join(" · ")}
              </p>
              {calls.map(([name, given]) => (
                <Part key={name} title={name}>
                  <JsonView value={given} />
                </Part>
              ))}
              {typeof text === "string" && <pre className="plain-result">{visible(text)}</pre>}
              {calls.length === 0 && typeof text !== "string" && <JsonView value={step.answer} />}
            </>
          )}
        </Disclosure>
      );
    }
    case "answer":
      return (
        <Row
          icon={Check}
          name={<code>{step.key}</code>}
          note={
            <>
              {brief(step.value)}
              {step.quote && <span className="faint"> {say.from(step.quote)}</span>}
            </>
          }
        />
      );
    case "refused":
      return (
        <Row
          icon={X}
          name={<code>{step.key}</code>}
          note={`${say.refused}: ${brief(step.value, 40)}. ${step.reason}`}
        />
      );
    case "failed":
      return <Row icon={CircleAlert} name={nameOf(step.node)} note={step.error} bad />;
  }
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="card-part">
      <h4>
        <CornerDownRight size={12} aria-hidden /> {title}
      </h4>
      {children}
    </section>
  );
}
