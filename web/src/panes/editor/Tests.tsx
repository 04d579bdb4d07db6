// The scripted conversations of the agent, run on the draft.

import { FlaskConical, MessagesSquare, Play, RotateCcw, ScrollText, Square, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { secondsText, useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { failed } from "../../app/toasts";
import { Age, Button, Empty, IconButton, Loaded } from "../../ui";
import { visible } from "../../ui/visible";
import { type Coverage, type TestResult, editorApi, runTests } from "./api";
import { AskToDelete } from "../chat/Ask";
import { Assurances } from "./Assurances";
import { formWords } from "./formWords";
import type { Way } from "../../flow-canvas/nodes";
import { useSession, useSessionState } from "./useSession";
import { Golden, Mark } from "./TestResult";
import { WhyFailed } from "./WhyFailed";
import { words } from "./words";

export interface TestRun {
  results: ReadonlyMap<string, TestResult>;
  coverage: Coverage | null;
  running: boolean;
  /** The text has changed since the results were made. */
  isOld: boolean;
  /** When the last run ended; null before the first. */
  ended: string | null;
  run(only: string[]): void;
  stop(): void;
  /** Forgets the result of a conversation that is gone. */
  forget(file: string): void;
}

/** Runs conversations on the text of the draft as it is now. */
export function useTestRun(): TestRun {
  const session = useSession();
  const [results, setResults] = useState<ReadonlyMap<string, TestResult>>(new Map());
  const [coverage, setCoverage] = useState<Coverage | null>(null);
  const abort = useRef<AbortController | null>(null);
  const [running, setRunning] = useState(false);
  const [ended, setEnded] = useState<string | null>(null);
  /** The text of the results. */
  const [ran, setRan] = useState("");
  const { text: now } = useSessionState();
  const stop = () => abort.current?.abort();
  useEffect(() => () => abort.current?.abort(), []);
  const run = (only: string[]) => {
    const controller = (abort.current = new AbortController());
    setRunning(true);
    const { text } = session.state.get();
    // Results of another text do not count with those of this one.
    const kept = only.length > 0 && text === ran;
    setRan(text);
    if (text !== ran) setCoverage(null);
    setResults((now) => new Map(kept ? [...now].filter(([file]) => !only.includes(file)) : []));
    const work = async () => {
      for await (const event of runTests(session.agent, text, only, controller.signal)) {
        if (event.type === "result") setResults((now) => new Map(now).set(event.result.file, event.result));
        else if (event.type === "coverage" && only.length === 0) setCoverage(event.coverage);
        else if (event.type === "error") throw new Error(`${event.error.message} ${event.error.hint}`);
      }
    };
    work()
      .catch((error: unknown) => !controller.signal.aborted && failed(error))
      .finally(() => {
        setRunning(false);
        setEnded(new Date().toISOString());
      });
  };
  const forget = (file: string) => setResults((now) => new Map([...now].filter(([each]) => each !== file)));
  return { results, coverage, running, isOld: results.size > 0 && ran !== now, ended, run, stop, forget };
}

interface Props {
  run: TestRun;
  onWay(way: Way | null): void;
  /** Opens the trial, whose conversation can be kept as a test: a new one, or one that is recorded again. */
  onTry(again: string): void;
}

export function Tests({ run, onWay, onTry }: Props): ReactNode {
  const session = useSession();
  const { flow } = useSessionState();
  const say = useText(words);
  const forms = useText(formWords);
  const palette = useResource(`palette:${session.agent}`, () => editorApi.palette(session.agent));
  return (
    <>
      <Loaded of={palette}>
        {({ conversations }) => {
          if (conversations.length === 0)
            return (
              <Empty icon={FlaskConical} title={say.noTests}>
                <p>{say.noTestsWhat}</p>
                <Button icon={MessagesSquare} onClick={() => onTry("")}>
                  {say.try}
                </Button>
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
                {run.results.size > 0 ? (
                  <span
                    role="status"
                    className={run.isOld ? "faint" : passed < run.results.size ? "bad-text" : "editor-good"}
                  >
                    {say.testsPassed(passed, run.results.size)}
                  </span>
                ) : (
                  <span className="muted">{say.testCount(conversations.length)}</span>
                )}
                {run.ended !== null && !run.running && (
                  <span className="faint editor-tests-age">
                    <Age of={run.ended} />
                  </span>
                )}
              </div>
              {run.isOld && <p className="warn tests-old">{forms.testsOld}</p>}
              {((run.results.size > 0 && !run.isOld) || run.running) && <Totals run={run} all={conversations.length} />}
              {coverage && !run.isOld && (
                <dl className="test-coverage" title={say.coverageWhat}>
                  <Covered name={say.edges} of={coverage.edges} />
                  <Covered name={say.nodes} of={coverage.nodes} />
                </dl>
              )}
              <ul>
                {conversations.map((file) => (
                  <Conversation key={file} file={file} run={run} onAgain={onTry} />
                ))}
              </ul>
            </div>
          );
        }}
      </Loaded>
      <Assurances onWay={onWay} />
    </>
  );
}

/** How many conversations passed, failed and were not run, as one bar. */
function Totals({ run, all }: { run: TestRun; all: number }): ReactNode {
  const say = useText(words);
  const passed = [...run.results.values()].filter((each) => each.status === "passed").length;
  const failedOnes = run.results.size - passed;
  const left = all - run.results.size;
  const parts = [
    passed > 0 && say.passed(passed),
    failedOnes > 0 && say.failed(failedOnes),
    left > 0 && (run.running ? say.testsOf(run.results.size, all) : say.notRunCount(left)),
  ];
  return (
    <div className="test-totals">
      <span className="test-bar" aria-hidden>
        <span className="test-bar-passed" style={{ flexGrow: passed }} />
        <span className="test-bar-failed" style={{ flexGrow: failedOnes }} />
        <span style={{ flexGrow: left }} />
      </span>
      <span className="muted">{parts.filter(Boolean).join(" · ")}</span>
    </div>
  );
}

/** How much of the edges or nodes the conversations walked. */
function Covered({ name, of }: { name: string; of: Coverage["edges"] }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {of.reached}/{of.total}
        <meter min={0} max={Math.max(of.total, 1)} value={of.reached} aria-label={name} />
      </dd>
    </div>
  );
}

/** The name of a conversation in the folder `tests`, where the editor keeps them. */
const KEPT = /^tests\/([^/]+)\.conversation\.yaml$/;

export const testName = (file: string): string => KEPT.exec(file)?.[1] ?? file.replace(/\.conversation\.yaml$/, "");

interface ConversationProps {
  file: string;
  run: TestRun;
  /** Records it again. */
  onAgain(name: string): void;
}

function Conversation({ file, run, onAgain }: ConversationProps): ReactNode {
  const session = useSession();
  const say = useText(words);
  const [asking, setAsking] = useState(false);
  const [traced, setTraced] = useState(false);
  const result = run.results.get(file);
  const kept = KEPT.exec(file)?.[1];
  const name = testName(file);
  const remove = async () => {
    await editorApi.deleteConversation(session.agent, kept ?? "");
    run.forget(file);
    invalidate(`palette:${session.agent}`);
  };
  const lines = result?.trace_lines ?? [];
  const golden = (result?.mismatches ?? []).flatMap(({ diff }) => (diff.length > 0 ? [diff] : []));
  const isWrong = result !== undefined && result.status !== "passed";
  return (
    <li>
      <div className="editor-row">
        {result && <Mark status={result.status} isOld={run.isOld} />}
        <span className="cut editor-grow">{visible(name)}</span>
        {!result && <span className="faint test-state">{run.running ? say.due : say.notRun}</span>}
        {result?.seconds !== undefined && (
          <span className="faint test-state">{`${secondsText(result.seconds)} s`}</span>
        )}
        {lines.length > 0 && (
          <IconButton
            icon={ScrollText}
            label={say.trace}
            aria-expanded={traced}
            onClick={() => setTraced((now) => !now)}
          />
        )}
        <IconButton icon={Play} label={say.runOne} onClick={() => run.run([file])} disabled={run.running} />
        {kept && session.mayEdit && (
          <IconButton
            icon={Trash2}
            label={say.deleteTest(visible(name))}
            onClick={() => setAsking(true)}
            disabled={run.running}
          />
        )}
        {asking && (
          <AskToDelete
            title={say.deleteTest(visible(name))}
            text={say.deleteTestWhat}
            action={say.remove}
            onClose={() => setAsking(false)}
            onDone={remove}
          />
        )}
      </div>
      {isWrong && !run.isOld && <WhyFailed result={result} />}
      {(run.isOld ? [] : golden).map((lines, index) => (
        <Golden key={index} lines={lines} />
      ))}
      {isWrong && kept && session.mayEdit && (
        <div className="editor-row">
          <Button icon={RotateCcw} onClick={() => onAgain(name)} disabled={run.running}>
            {say.recordAgain}
          </Button>
          <Button icon={Trash2} onClick={() => setAsking(true)} disabled={run.running}>
            {say.remove}
          </Button>
        </div>
      )}
      {traced && lines.length > 0 && <pre>{visible(lines.join("\n"))}</pre>}
    </li>
  );
}
