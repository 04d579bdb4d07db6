// One event: its fields, the state at that point, and the way into a branch.

import { GitBranch, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type JsonObject, type TraceRow, api } from "../../api";
import { useMayWrite } from "../../app/access";
import { clock, useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { failed, told } from "../../app/toasts";
import { Button, Disclosure, IconButton, Loaded } from "../../ui";
import { JsonView, isObject } from "../../ui/json";
import { typed } from "./trace";
import { words } from "./words";

export function Detail({ thread, row, onClose }: { thread: string; row: TraceRow; onClose(): void }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const { type, ...fields } = row.event;
  return (
    <section className="trace-detail" aria-label={say.event(row.seq)}>
      <header>
        <strong className="mono">{type}</strong>
        <span className="faint">
          {say.event(row.seq)} · {clock(row.time)}
        </span>
        <IconButton icon={X} label={say.close} keys="shift+x" onClick={onClose} />
      </header>
      <JsonView value={fields} />
      <Disclosure summary={say.state}>{() => <StateAt thread={thread} seq={row.seq} />}</Disclosure>
      {mayWrite && <Disclosure summary={say.goOn}>{() => <GoOn thread={thread} row={row} />}</Disclosure>}
    </section>
  );
}

const useMoment = (thread: string, seq: number) => useResource(`state:${thread}:${seq}`, () => api.state(thread, seq));

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

function GoOn({ thread, row }: { thread: string; row: TraceRow }): ReactNode {
  const say = useText(words);
  const state = useMoment(thread, row.seq);
  const [key, setKey] = useState(row.event.type === "answer_committed" ? String(row.event.key) : "");
  const [value, setValue] = useState("");
  const [busy, setBusy] = useState(false);
  const answers = state.data?.values.answers;
  const keys = [...new Set([...(key ? [key] : []), ...(isObject(answers) ? dotted(answers) : [])])];
  const begin = async () => {
    setBusy(true);
    try {
      const made = await api.branch(thread, row.seq, key ? { [key]: typed(value) } : undefined);
      invalidate("threads?");
      told(say.branched);
      go(hashOf("chat", [made.thread], { beside: "trace" }));
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="trace-branch" onSubmit={(event) => (event.preventDefault(), void begin())}>
      <p className="muted">{say.goOnNote}</p>
      {keys.length > 0 && (
        <label className="field">
          <span>{say.changed}</span>
          <select className="input" value={key} onChange={(event) => setKey(event.target.value)}>
            <option value="">{say.unchanged}</option>
            {keys.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      )}
      {key && (
        <label className="field">
          <span>{say.value}</span>
          <input className="input" value={value} required onChange={(event) => setValue(event.target.value)} />
        </label>
      )}
      <Button type="submit" look="primary" icon={GitBranch} busy={busy}>
        {say.branch}
      </Button>
    </form>
  );
}

/** The dotted keys of answers, those in scopes as well. */
const dotted = (answers: JsonObject, path = ""): string[] =>
  Object.entries(answers).flatMap(([name, value]) =>
    isObject(value) ? dotted(value, `${path}${name}.`) : [path + name],
  );
