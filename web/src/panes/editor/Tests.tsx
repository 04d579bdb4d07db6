// The scripted conversations of the agent, run on the draft.

import { CircleCheck, CircleX, FlaskConical, Play, Square } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { failed } from "../../app/toasts";
import { Button, Disclosure, Empty, IconButton, Loaded } from "../../ui";
import { visible } from "../../ui/visible";
import { type Coverage, type TestResult, editorApi, runTests } from "./api";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

export interface TestRun {
  results: ReadonlyMap<string, TestResult>;
  coverage: Coverage | null;
  running: boolean;
  run(only: string[]): void;
  stop(): void;
}

/** Runs conversations on the text of the draft as it is now. */
export function useTestRun(): TestRun {
  const session = useSession();
  const [results, setResults] = useState<ReadonlyMap<string, TestResult>>(new Map());
  const [coverage, setCoverage] = useState<Coverage | null>(null);
  const abort = useRef<AbortController | null>(null);
  const [running, setRunning] = useState(false);
  const stop = () => abort.current?.abort();
  useEffect(() => () => abort.current?.abort(), []);
  const run = (only: string[]) => {
    const controller = (abort.current = new AbortController());
    setRunning(true);
    setResults((now) => (only.length > 0 ? new Map([...now].filter(([file]) => !only.includes(file))) : new Map()));
    const work = async () => {
      const { text } = session.state.get();
      for await (const event of runTests(session.agent, text, only, controller.signal)) {
        if (event.kind === "result") setResults((now) => new Map(now).set(event.result.file, event.result));
        else if (event.kind === "coverage" && only.length === 0) setCoverage(event.coverage);
        else if (event.kind === "error") throw new Error(`${event.error.message} ${event.error.hint}`);
      }
    };
    work()
      .catch((error: unknown) => !controller.signal.aborted && failed(error))
      .finally(() => setRunning(false));
  };
  return { results, coverage, running, run, stop };
}

export function Tests({ run }: { run: TestRun }): ReactNode {
  const session = useSession();
  const { flow } = useSessionState();
  const say = useText(words);
  const palette = useResource(`palette:${session.agent}`, () => editorApi.palette(session.agent));
  return (
    <Loaded of={palette}>
      {({ conversations }) => {
        if (conversations.length === 0)
          return (
            <Empty icon={FlaskConical} title={say.tests}>
              <p>{say.noTests}</p>
            </Empty>
          );
        const passed = [...run.results.values()].filter((each) => each.status === "passed").length;
        const { coverage } = run;
        return (
          <div className="editor-tests">
            <div className="editor-row">
              {run.running ? (
                <Button icon={Square} onClick={run.stop}>
                  {say.stop}
                </Button>
              ) : (
                <Button icon={Play} look="primary" onClick={() => run.run([])} disabled={!flow}>
                  {say.run}
                </Button>
              )}
              {run.results.size > 0 && <span role="status">{say.testsPassed(passed, run.results.size)}</span>}
            </div>
            {coverage && (
              <p className="muted">
                {say.coverage(
                  `${coverage.edges.reached}/${coverage.edges.total}`,
                  `${coverage.nodes.reached}/${coverage.nodes.total}`,
                )}
              </p>
            )}
            <ul>
              {conversations.map((file) => (
                <Conversation key={file} file={file} run={run} />
              ))}
            </ul>
          </div>
        );
      }}
    </Loaded>
  );
}

function Conversation({ file, run }: { file: string; run: TestRun }): ReactNode {
  const say = useText(words);
  const result = run.results.get(file);
  const name = file.replace(/^tests\//, "").replace(/\.conversation\.yaml$/, "");
  const wrong = result?.mismatches?.map((each) => each.message) ?? [];
  if (result?.error) wrong.push(result.error.message);
  return (
    <li>
      <div className="editor-row">
        {result?.status === "passed" && <CircleCheck size={15} className="editor-good" aria-label={result.status} />}
        {result && result.status !== "passed" && <CircleX size={15} className="bad" aria-label={result.status} />}
        <span className="cut editor-grow">{visible(name)}</span>
        {!result && <span className="faint">{say.notRun}</span>}
        <IconButton icon={Play} label={say.runOne} onClick={() => run.run([file])} disabled={run.running} />
      </div>
      {wrong.map((each, index) => (
        <p key={index} className="bad editor-wrong">
          {visible(each)}
        </p>
      ))}
      {result?.trace_lines && result.trace_lines.length > 0 && (
        <Disclosure summary={say.trace}>{() => <pre>{visible(result.trace_lines?.join("\n") ?? "")}</pre>}</Disclosure>
      )}
    </li>
  );
}
