// The form for a branch: a new conversation that continues from a point of this one, with another answer.

import { GitBranch } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Json, type TraceRow, api } from "../../api";
import { useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { told } from "../../app/toasts";
import { Button, Failure } from "../../ui";
import { isObject } from "../../ui/json";
import { typed } from "./trace";
import { words } from "./words";

/** The state of a thread after an event. */
export const useMoment = (thread: string, seq: number) =>
  useResource(`state:${thread}:${seq}`, () => api.stateAt(thread, seq));

export function GoOn({ thread, row }: { thread: string; row: TraceRow }): ReactNode {
  const say = useText(words);
  const state = useMoment(thread, row.seq);
  const [key, setKey] = useState(row.event.type === "answer_committed" ? String(row.event.key) : "");
  const [value, setValue] = useState<string | null>(null); // null is the present answer
  const [refused, setRefused] = useState<unknown>(undefined);
  const [busy, setBusy] = useState(false);
  const answers = answersIn(state.data?.values.answers);
  const asked = state.data?.waiting_for?.key;
  const keys = [...new Set([...(key ? [key] : []), ...answers.keys(), ...(asked ? [asked] : [])])];
  const typedValue = value ?? written(answers.get(key));
  const begin = async () => {
    setBusy(true);
    setRefused(undefined);
    try {
      const made = await api.branch(thread, row.seq, key ? { [key]: typed(typedValue) } : undefined);
      invalidate("threads?");
      told(say.branched);
      go(hashOf("chat", [made.thread], { beside: "trace" }));
    } catch (error) {
      setRefused(error);
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
          <select className="input" value={key} onChange={(event) => (setKey(event.target.value), setValue(null))}>
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
          <input className="input" value={typedValue} required onChange={(event) => setValue(event.target.value)} />
        </label>
      )}
      {refused !== undefined && <Failure error={refused} />}
      <Button type="submit" look="primary" icon={GitBranch} busy={busy}>
        {say.branch}
      </Button>
    </form>
  );
}

/** All answers by their dotted keys, including those in scopes. */
function answersIn(values: Json | undefined, path = ""): Map<string, Json> {
  if (!isObject(values)) return new Map();
  return new Map(
    Object.entries(values).flatMap(([name, value]): [string, Json][] =>
      isObject(value) ? [...answersIn(value, `${path}${name}.`)] : [[path + name, value]],
    ),
  );
}

/** A value as a user would type it; `typed` reads it back. */
const written = (value: Json | undefined): string =>
  value === undefined ? "" : typeof value === "string" && typed(value) === value ? value : JSON.stringify(value);
