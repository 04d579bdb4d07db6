// One event: what it says, the state at that point, and the form for a branch.

import { GitBranch, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Json, type JsonObject, type TraceRow, fieldsOf } from "../../api";
import { useMayWrite } from "../../app/access";
import { clock, useText } from "../../app/language";
import { Button, Disclosure, IconButton, Loaded } from "../../ui";
import { JsonView } from "../../ui/json";
import { GoOn, useMoment } from "./GoOn";
import { names } from "./format";
import { words } from "./words";

export function Detail({ thread, row, onClose }: { thread: string; row: TraceRow; onClose(): void }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const [goesOn, setGoesOn] = useState(false);
  const { type: _type, ...fields } = fieldsOf(row.event);
  return (
    <section className="trace-detail" aria-label={say.event(row.seq)}>
      <header>
        <strong>{row.event.type.replaceAll("_", " ")}</strong>
        <span className="faint">
          {say.event(row.seq)} · {clock(row.time)}
        </span>
        {mayWrite && (
          <Button icon={GitBranch} look="quiet" aria-expanded={goesOn} onClick={() => setGoesOn(!goesOn)}>
            {say.goOn}
          </Button>
        )}
        <IconButton icon={X} label={say.close} keys="shift+x" onClick={onClose} />
      </header>
      {goesOn && <GoOn thread={thread} row={row} />}
      <JsonView value={readableFields(row)} />
      {row.event.type === "model_called" && (
        <Disclosure summary={say.prompt}>{() => <Prompt offered={names(fields.offered)} />}</Disclosure>
      )}
      <Disclosure summary={say.state}>{() => <StateAt thread={thread} seq={row.seq} />}</Disclosure>
      <Disclosure summary={say.all}>
        {() => <pre className="trace-raw">{JSON.stringify(fields, null, 2)}</pre>}
      </Disclosure>
    </section>
  );
}

/** The recorded part of the request of a model call, and how to record the rest. */
function Prompt({ offered }: { offered: string }): ReactNode {
  const say = useText(words);
  return (
    <div className="trace-prompt">
      {offered && (
        <p>
          <span className="muted">{say.promptTools}:</span> {offered}
        </p>
      )}
      <p className="muted">{say.promptNotKept}</p>
      <code>OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true</code>
    </div>
  );
}

/** The fields that say something to a reader: not empty ones, nor the place of the event. */
function readableFields(row: TraceRow): JsonObject {
  const { type: _type, node: _node, visit: _visit, ...fields } = fieldsOf(row.event);
  const isSaid = (value: Json) =>
    value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => isSaid(value) && !name.endsWith("hash"))
      .map(([name, value]) => [name.replaceAll("_", " "), value]),
  );
}

function StateAt({ thread, seq }: { thread: string; seq: number }): ReactNode {
  const state = useMoment(thread, seq);
  return (
    <Loaded of={state}>
      {({ status, values, waiting_for }) => (
        <JsonView
          value={{ status, ...(waiting_for ? { waiting_for: waiting_for.key || waiting_for.node } : {}), ...values }}
        />
      )}
    </Loaded>
  );
}
