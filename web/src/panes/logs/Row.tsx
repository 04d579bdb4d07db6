// A turn in the interaction log: its line, and all its fields when it is open.

import type { ReactNode } from "react";
import type { Interaction } from "../../api";
import { useTitleOf } from "../../app/agents";
import { ago, clock, clockToday, numberText, secondsText, useText } from "../../app/language";
import { hashOf } from "../../app/router";
import { useNow } from "../../app/time";
import { Badge, CopyButton, Disclosure, StatusDot, classes } from "../../ui";
import { JsonView } from "../../ui/json";
import { withoutMarks } from "../../ui/plain";
import { visible } from "../../ui/visible";
import { ORDINARY } from "./filters";
import { typeWords, words } from "./words";

export function Row({ of: each, only }: { of: Interaction; only(): void }): ReactNode {
  const say = useText(words);
  const types: Record<string, string> = useText(typeWords);
  const titleOf = useTitleOf();
  // A button says "yes"; which decision that was is worth more.
  const decision = { approved: say.approved, rejected: say.rejected }[String(each.metadata.decision)];
  const isStopped = each.error.endsWith("[stopped]");
  return (
    <Disclosure
      summary={
        <span className="logs-row">
          {each.success ? (
            <span />
          ) : (
            <StatusDot tone={isStopped ? "neutral" : "bad"} label={isStopped ? say.stopped : say.failed} />
          )}
          <span className="logs-words">
            <span className={classes("logs-question cut", !each.question && "faint")}>
              {decision ?? (each.question ? withoutMarks(each.question) : say.noWords)}
            </span>
            {!each.success && <Why of={each.error} stopped={isStopped} />}
          </span>
          <span className="cut">
            {titleOf(each.agent.replace(TRIAL, ""))} {each.agent.startsWith(TRIAL) && <Badge>{say.trial}</Badge>}
          </span>
          <span className="cut">
            {each.type !== ORDINARY && each.type !== "none" && (types[each.type] ?? each.type)}
          </span>
          <span className="logs-number">{each.tokens > 0 && numberText(each.tokens)}</span>
          <span className="logs-number">{say.secondsShort(secondsText(each.seconds))}</span>
          <span className="logs-number">
            <When of={each.started} />
          </span>
        </span>
      }
    >
      {() => <Fields of={each} only={only} />}
    </Disclosure>
  );
}

/** The first line of an error, with its code as a badge; one word for a turn that the user stopped. */
function Why({ of: error, stopped }: { of: string; stopped: boolean }): ReactNode {
  const say = useText(words);
  if (stopped)
    return (
      <span className="logs-why">
        <Badge>{say.stopped}</Badge>
      </span>
    );
  const [line = ""] = error.split("\n", 1);
  const [, text = line, code = ""] = /^(.*?)(?: \[(\w+)\])?$/.exec(line) ?? [];
  return (
    <span className="logs-why cut">
      {code && <Badge tone="bad">{code}</Badge>} {withoutMarks(text)}
    </span>
  );
}

/** The time of day, after the day unless it is today; the age is shown on hover. */
function When({ of: time }: { of: string }): ReactNode {
  return (
    <time dateTime={time} title={`${ago(time)} · ${clock(time)}`}>
      {useNow(() => clockToday(time))}
    </time>
  );
}

/** The beginning of the name of an agent whose draft is tried. */
const TRIAL = "draft:";
/** The texts of a turn. A result that the answer holds word for word is not shown twice. */
const TEXTS = ["question", "code", "result", "reply", "error"] as const;

function Fields({ of: each, only }: { of: Interaction; only(): void }): ReactNode {
  const say = useText(words);
  const facts: [string, ReactNode][] = [
    [say.started, clock(each.started)],
    [say.duration, say.secondsShort(secondsText(each.seconds))],
    [say.turn, numberText(each.number)],
    [say.calls, numberText(each.model_calls)],
    [say.tokens, numberText(each.tokens)],
    [say.session, <span className="mono">{each.session}</span>],
    ["Id", <span className="mono">{each.id}</span>],
  ];
  return (
    <div className="logs-fields">
      <dl className="logs-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="logs-links">
        {each.yours ? (
          <>
            <a href={hashOf("chat", [each.session])}>{say.open}</a>
            <a href={hashOf("trace", [each.session], { turn: String(each.number) })}>{say.trace}</a>
          </>
        ) : (
          <span className="muted">{say.notThere}</span>
        )}
        <button type="button" className="button button-quiet" onClick={only}>
          {say.only}
        </button>
      </p>
      {TEXTS.filter((name) => each[name] !== "" && !(name === "result" && each.reply.includes(each.result))).map(
        (name) => (
          <section key={name} aria-label={say[name]}>
            <h2>
              {say[name]} <CopyButton text={each[name]} />
            </h2>
            <pre className={name === "code" || name === "result" ? "logs-text" : "logs-text logs-prose"} tabIndex={0}>
              {visible(each[name])}
            </pre>
          </section>
        ),
      )}
      {Object.keys(each.metadata).length > 0 && (
        <section aria-label={say.metadata}>
          <h2>{say.metadata}</h2>
          <JsonView value={each.metadata} />
        </section>
      )}
    </div>
  );
}
