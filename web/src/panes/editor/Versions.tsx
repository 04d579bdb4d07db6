// The published versions of a flow: their texts, compared with the draft; restoring one; publishing the draft.

import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { yaml } from "@codemirror/lang-yaml";
import { History, Upload } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { failed, told } from "../../app/toasts";
import { Age, Badge, Button, Dialog, Disclosure, Empty, Loaded, Table } from "../../ui";
import { visible } from "../../ui/visible";
import { type Preview, editorApi } from "./api";
import { type TestRun } from "./Tests";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

interface Against {
  title: string;
  text: string;
  /** The number of the version; 0 is the file. */
  number: number;
}

export function Versions({ mayPublish, run }: { mayPublish: boolean; run: TestRun }): ReactNode {
  const session = useSession();
  const state = useSessionState();
  const say = useText(words);
  const [against, setAgainst] = useState<Against | null>(null);
  const [publishing, setPublishing] = useState(false);
  const versions = useResource(`versions:${session.agent}`, () => editorApi.versions(session.agent));
  const compare = (number: number) =>
    void editorApi
      .version(session.agent, number)
      .then((found) => setAgainst({ title: say.version(number), text: found.text, number }), failed);
  const restore = (text: string) => {
    session.replace(text);
    setAgainst(null);
    told(say.restored);
  };
  return (
    <div className="editor-versions">
      <div className="editor-row">
        {mayPublish && (
          <Button icon={Upload} look="primary" onClick={() => setPublishing(true)}>
            {say.publish}
          </Button>
        )}
        <Button
          onClick={() => setAgainst({ title: say.active, text: state.server.active, number: state.server.version })}
        >
          {say.compare}
        </Button>
      </div>
      <Loaded of={versions}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={History} title={say.versions}>
              <p>{say.noVersions}</p>
            </Empty>
          ) : (
            <ul>
              {items.map((each, index) => (
                <li key={each.number}>
                  <button type="button" onClick={() => compare(each.number)}>
                    <strong>{each.number}</strong>
                    <span className="editor-grow">
                      {visible(each.note)}
                      <small className="faint">
                        {visible(each.author)} · <Age of={each.created} />
                      </small>
                    </span>
                    {index === 0 && <Badge tone="good">{say.active}</Badge>}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {state.server.file !== state.server.active && (
        <Button look="quiet" onClick={() => setAgainst({ title: say.file, text: state.server.file, number: 0 })}>
          {say.file}
        </Button>
      )}
      {against && (
        <Dialog title={`${against.title} · ${say.draft}`} onClose={() => setAgainst(null)} className="editor-compare">
          <Compared before={against.text} after={state.text} />
          {session.mayEdit && (
            <div className="editor-row">
              <Button onClick={() => restore(against.text)}>{say.restore}</Button>
            </div>
          )}
        </Dialog>
      )}
      {publishing && (
        <Publish
          run={run}
          onDone={() => {
            setPublishing(false);
            void versions.reload();
          }}
        />
      )}
    </div>
  );
}

/** Two texts side by side, with their differences. */
function Compared({ before, after }: { before: string; after: string }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const extensions = [lineNumbers(), yaml(), EditorView.lineWrapping, EditorState.readOnly.of(true)];
    const view = new MergeView({
      a: { doc: before, extensions },
      b: { doc: after, extensions },
      parent: place.current,
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => view.destroy();
  }, [before, after]);
  return <div ref={place} className="editor-merge" />;
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

function Publish({ onDone, run }: { onDone: () => void; run: TestRun }): ReactNode {
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
  const previewed = fresh && checked.ok && text !== server.active;
  const preview = useResource(previewed ? `preview:${session.agent}:${checked.hash}` : null, () =>
    editorApi.preview(session.agent, session.state.get().text),
  );
  const why = text === server.active ? say.nothingChanged : fresh && !checked.ok ? say.hasErrors : "";
  const passed = [...run.results.values()].filter((each) => each.status === "passed").length;
  const publish = async () => {
    if (!checked) return;
    setBusy(true);
    try {
      await session.save();
      const { revision } = session.state.get().server;
      const made = await editorApi.publish(session.agent, revision, checked.hash, note);
      told(say.published(made.number));
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
      {previewed && (
        <Loaded of={preview}>
          {(found) => (
            <>
              <h3>{say.meaning}</h3>
              <ul className="editor-meaning">
                {found.difference.map((line, index) => (
                  <li key={index} className={`meaning-${line.kind}`}>
                    {visible(line.text)}
                  </li>
                ))}
              </ul>
              {found.threads.length > 0 && <Threads threads={found.threads} />}
            </>
          )}
        </Loaded>
      )}
      <Compared before={server.active} after={text} />
      {run.results.size > 0 && (
        <p role="status" className={passed === run.results.size ? "editor-good" : "bad"}>
          {say.testsPassed(passed, run.results.size)}
        </p>
      )}
      <label className="field">
        <span>{say.note}</span>
        <textarea rows={2} value={note} onChange={(event) => setNote(event.target.value)} autoFocus />
      </label>
      {why && <p className="warn">{why}</p>}
      <div className="editor-row">
        <Button
          look="primary"
          busy={busy || run.running}
          disabled={!fresh || Boolean(why) || !note.trim() || saving === "conflict"}
          onClick={() => void publish()}
        >
          {say.publish}
        </Button>
      </div>
    </Dialog>
  );
}
