// Publishing the draft: what changes, what happens to waiting conversations, the tests, and a yes.

import { Check, FlaskConical, Upload } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { failed, told } from "../../app/toasts";
import { Button, Dialog, DialogActions, Disclosure, Loaded, Table } from "../../ui";
import { visible } from "../../ui/visible";
import { type Preview, editorApi } from "./api";
import { ChangeList, Meaning, sidesOf } from "./Changes";
import { TextDifference } from "./Compare";
import { changesOf } from "./model/changes";
import { type TestRun, testName } from "./Tests";
import { useSession, useSessionState } from "./useSession";
import { WhyFailed } from "./WhyFailed";
import { words } from "./words";

/** The primary action of the editor; without a change there is nothing to publish. */
export function PublishButton({ run, onTests }: { run: TestRun; onTests(): void }): ReactNode {
  const session = useSession();
  const { text, server, checked } = useSessionState();
  const say = useText(words);
  const [open, setOpen] = useState(false);
  const isActive = text === server.active;
  return (
    <>
      <Button
        icon={isActive ? Check : Upload}
        look={isActive || checked?.ok === false ? "plain" : "primary"}
        disabled={isActive}
        onClick={() => setOpen(true)}
      >
        {say.publish}
      </Button>
      {open && (
        <Publish
          run={run}
          onTests={() => {
            setOpen(false);
            onTests();
          }}
          onDone={() => {
            setOpen(false);
            invalidate(`versions:${session.agent}`);
          }}
        />
      )}
    </>
  );
}

/** The outcome of each waiting conversation, those that stay first. */
function Threads({ threads }: { threads: Preview["threads"] }): ReactNode {
  const say = useText(words);
  const moves = threads.filter((each) => each.outcome === "carry" || each.outcome === "move");
  const rest = threads.filter((each) => !moves.includes(each));
  return (
    <Disclosure summary={`${say.waiting(threads.length)}: ${say.goesOn(moves.length)}`} open={rest.length > 0}>
      {() => (
        <Table
          label={say.waiting(threads.length)}
          columns={[say.thread, say.outcome, say.from, say.to, say.reasons]}
          rows={[...rest, ...moves]
            .slice(0, 100)
            .map((each) => [each.thread, each.outcome, each.node, each.goes_to, each.reasons.join("; ")].map(visible))}
        />
      )}
    </Disclosure>
  );
}

/** The reasons of each conversation that did not pass, and a button that leads to the tests. */
function AllFailed({ run, onTests }: { run: TestRun; onTests(): void }): ReactNode {
  const say = useText(words);
  const others = [...run.results.values()].filter((each) => each.status !== "passed");
  return (
    <Disclosure summary={say.testsFailed(others.length)} open>
      {() => (
        <>
          <ul className="publish-failed">
            {others.map((each) => (
              <li key={each.file}>
                <strong>{visible(testName(each.file))}</strong>
                <WhyFailed result={each} />
              </li>
            ))}
          </ul>
          <p className="faint">{say.testsEarlier}</p>
          <Button icon={FlaskConical} onClick={onTests}>
            {say.openTests}
          </Button>
        </>
      )}
    </Disclosure>
  );
}

function Publish(props: { onDone: () => void; onTests: () => void; run: TestRun }): ReactNode {
  const { onDone, onTests, run } = props;
  const session = useSession();
  const state = useSessionState();
  const say = useText(words);
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);
  const { checked, checkedText, text, server, saving } = state;
  const palette = useResource(`palette:${session.agent}`, () => editorApi.palette(session.agent));
  const started = useRef(false);
  useEffect(() => {
    // The conversations are run on what will be published.
    if (started.current || run.running || !checked?.ok || !palette.data || palette.data.conversations.length === 0)
      return;
    started.current = true;
    run.run([]);
  }, [palette.data, run, checked]);
  const fresh = checked !== null && checkedText === text;
  const id = state.flow?.data.id;
  const isOther = typeof id === "string" && id !== server.flow;
  const previewed = fresh && checked.ok && text !== server.active && !isOther;
  const preview = useResource(previewed ? `preview:${session.agent}:${checked.hash}` : null, () =>
    editorApi.preview(session.agent, session.state.get().text),
  );
  // The names of the nodes come from the documents.
  const compared = useResource(previewed ? `compare:${session.agent}:${server.active}:${text}` : null, () =>
    editorApi.compare(session.agent, server.active, text),
  );
  const why =
    text === server.active
      ? say.nothingChanged
      : fresh && !checked.ok
        ? say.hasErrors
        : isOther
          ? say.otherId(visible(server.flow))
          : "";
  const passed = [...run.results.values()].filter((each) => each.status === "passed").length;
  const publish = async () => {
    if (!checked) return;
    setBusy(true);
    try {
      await session.save();
      const { revision } = session.state.get().server;
      const made = await editorApi.publish(session.agent, revision, checked.hash, note);
      told(say.published(made.number), <a href={hashOf("chat", [], { agent: session.agent })}>{say.chatWith}</a>);
      await session.reload();
      onDone();
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={say.publishTitle} onClose={onDone} className="editor-compare">
      <p>{say.publishWhat}</p>
      {why && <p className="warn">{why}</p>}
      {previewed && (
        <Loaded of={preview}>
          {(found) => (
            <>
              <h3>{say.meaning}</h3>
              {compared.data && <ChangeList groups={changesOf(compared.data)} sides={sidesOf(compared.data)} />}
              {compared.error !== undefined && <Meaning lines={found.difference} compared={undefined} />}
              {found.threads.length > 0 && <Threads threads={found.threads} />}
            </>
          )}
        </Loaded>
      )}
      <TextDifference before={server.active} after={text} titles={[say.activeText, say.draft]} />
      <footer className="publish-foot">
        {run.results.size > 0 && (
          <p role="status" className={passed === run.results.size ? "editor-good" : "bad-text"}>
            {say.testsPassed(passed, run.results.size)}
          </p>
        )}
        {passed < run.results.size && <AllFailed run={run} onTests={onTests} />}
        <label className="field">
          <span>{say.note}</span>
          <textarea rows={2} value={note} onChange={(event) => setNote(event.target.value)} required autoFocus />
        </label>
        <DialogActions onCancel={onDone}>
          <Button
            look="primary"
            busy={busy || run.running}
            disabled={!fresh || Boolean(why) || !note.trim() || saving === "conflict"}
            onClick={() => void publish()}
          >
            {say.publish}
          </Button>
        </DialogActions>
      </footer>
    </Dialog>
  );
}
