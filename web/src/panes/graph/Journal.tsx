// The journal of the graph: each goal with its changes, and undoing one after a preview.

import { History, Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { JsonObject } from "../../api";
import { clock, numberText, useText } from "../../app/language";
import { invalidate, usePages, useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { told } from "../../app/toasts";
import { Age, Badge, Button, Dialog, Empty, Failure, Loaded, MoreButton, Skeleton } from "../../ui";
import { statusWords, words } from "./words";
import { visible } from "../../ui/visible";
import { type Goal, type GraphChange, type GraphEdge, type GraphNode, graphApi } from "./api";

export function Journal({ chosen }: { chosen: string }): ReactNode {
  const say = useText(words);
  const list = usePages<Goal>("graph/journal", graphApi.journal);
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (list.loading) return <Skeleton lines={6} />;
  if (list.items.length === 0)
    return (
      <Empty icon={History} title={say.noGoals}>
        <p>{say.noneHint}</p>
      </Empty>
    );
  return (
    <div className="split">
      <nav aria-label={say.journal}>
        <ul className="entries graph-entries">
          {list.items.map((each) => (
            <li key={each.goal}>
              <a
                href={hashOf("graph", ["journal", each.goal])}
                aria-current={each.goal === chosen ? "page" : undefined}
              >
                <span className="graph-goal">{visible(nameOf(each, say))}</span>
                <span className="entry-note">
                  <span>
                    {each.goal} · <Age of={each.began} />
                  </span>
                  {each.undone_by && <Badge tone="warn">{say.undoneBy(each.undone_by)}</Badge>}
                </span>
              </a>
            </li>
          ))}
        </ul>
        <MoreButton more={list.more} />
      </nav>
      {chosen ? (
        <Entry key={chosen} goal={chosen} />
      ) : (
        <Empty icon={History} title={say.chooseGoal}>
          <p>{say.chooseGoalHint}</p>
        </Empty>
      )}
    </div>
  );
}

/** The name of an entry: its text, or what it undoes. */
const nameOf = (entry: Goal, say: (typeof words)["en"]): string =>
  entry.undoes ? say.undoOf(entry.undoes) : entry.text || say.others;

function Entry({ goal }: { goal: string }): ReactNode {
  const say = useText(words);
  const found = useResource(`graph/journal/${goal}`, () => graphApi.goal(goal));
  const statuses: Record<string, string> = useText(statusWords);
  const [undoing, setUndoing] = useState(false);
  return (
    <Loaded of={found}>
      {(entry) => {
        const changes = entry.steps.flatMap((step) => step.changes);
        return (
          <article className="graph-around">
            <h2>{nameOf(entry, say)}</h2>
            <p className="entry-note">
              {entry.goal} · {clock(entry.began)} <Badge>{statuses[entry.status] ?? entry.status}</Badge>
              {entry.undone_by && <Badge tone="warn">{say.undoneBy(entry.undone_by)}</Badge>}
              {entry.thread && <a href={hashOf("chat", [entry.thread])}>{say.open}</a>}
            </p>
            <section aria-label={say.changes}>
              <h2>
                {say.changes} ({numberText(changes.length)})
              </h2>
              {changes.length === 0 ? <p className="muted">{say.noChanges}</p> : <Changes of={changes} />}
            </section>
            {!entry.undoable && !entry.undone_by && changes.length > 0 && <p className="muted">{say.notYours}</p>}
            {entry.undoable && (
              <p>
                <Button icon={Undo2} look="danger" onClick={() => setUndoing(true)}>
                  {say.undo}…
                </Button>
              </p>
            )}
            {undoing && <Undoing goal={goal} onClose={() => setUndoing(false)} />}
          </article>
        );
      }}
    </Loaded>
  );
}

function Undoing({ goal, onClose }: { goal: string; onClose(): void }): ReactNode {
  const say = useText(words);
  const preview = useResource(`graph/undo/${goal}`, () => graphApi.previewUndo(goal));
  const [refused, setRefused] = useState<unknown>(undefined);
  const [busy, setBusy] = useState(false);
  const undo = (hash: string) => {
    setBusy(true);
    graphApi.undo(goal, hash).then(
      (done) => {
        onClose();
        told(say.undone);
        invalidate("graph");
        go(hashOf("graph", ["journal", done.goal]));
      },
      (error: unknown) => {
        // The graph has changed in the meantime: the preview is loaded again.
        setRefused(error);
        void preview.reload().then(() => setBusy(false));
      },
    );
  };
  return (
    <Dialog title={say.undoing(goal)} onClose={onClose}>
      <div className="dialog-content">
        {refused !== undefined && preview.error === undefined && <Failure error={refused} />}
        {/* An outdated preview is not shown. */}
        <Loaded of={refused !== undefined && preview.error !== undefined ? { ...preview, data: undefined } : preview}>
          {({ changes, hash }) => (
            <>
              <p>{changes.length > 0 ? say.would : say.nothing}</p>
              <Changes of={changes} />
              <div className="dialog-actions">
                <Button onClick={onClose}>{say.cancel}</Button>
                <Button look="primary" busy={busy} disabled={changes.length === 0} onClick={() => undo(hash)}>
                  {say.undo}
                </Button>
              </div>
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

const LISTED = 100; // changes at first, and with each "more"
const TONES = { created: "good", updated: "warn", deleted: "bad" } as const;

/** The changed element; names are isolated, because one may be written from right to left. */
function Named({ of: each }: { of: GraphNode | GraphEdge }): ReactNode {
  if ("type" in each)
    return (
      <>
        <bdi>{visible(each.from_key)}</bdi> <Badge>{each.type}</Badge> <bdi>{visible(each.to_key)}</bdi>
      </>
    );
  return (
    <>
      <bdi>{visible(each.key)}</bdi> <Badge tone="accent">{each.label}</Badge>
    </>
  );
}

const textOf = (properties: JsonObject, name: string): string =>
  name in properties ? JSON.stringify(properties[name]) : "∅";

function Changes({ of: changes }: { of: GraphChange[] }): ReactNode {
  const say = useText(words);
  const [most, setMost] = useState(LISTED);
  const list = (
    <ul className="graph-changes">
      {changes.slice(0, most).map((change, index) => {
        const before = change.before?.properties ?? {};
        const after = change.after?.properties ?? {};
        const names = Object.keys({ ...before, ...after }).filter(
          (name) => textOf(before, name) !== textOf(after, name),
        );
        return (
          <li key={index}>
            <Badge tone={TONES[change.kind]}>{say[change.kind]}</Badge> <Named of={(change.after ?? change.before)!} />
            {names.map((name) => (
              <div key={name} className="muted">
                {name}: {change.before && textOf(before, name)} {change.kind === "updated" && "→"}{" "}
                {change.after && textOf(after, name)}
              </div>
            ))}
          </li>
        );
      })}
    </ul>
  );
  return (
    <>
      {list}
      <MoreButton more={changes.length > most ? () => setMost(most + LISTED) : null} />
    </>
  );
}
