// One entry of the journal, and undoing it after a preview.

import { ArrowLeft, MessageSquare, Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useUserName } from "../../app/access";
import { clock, numberText, useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { Badge, Button, Loaded } from "../../ui";
import { visible } from "../../ui/visible";
import { type Goal, graphApi } from "./api";
import { Changes } from "./Changes";
import { Undoing } from "./Undoing";
import { statusWords, words } from "./words";

/** The name of an entry: its text, or what it undoes. */
export const nameOf = (entry: Goal, say: (typeof words)["en"]): string =>
  entry.undoes ? say.undoOf(entry.undoes) : entry.text || say.others;

export function Entry({ goal }: { goal: string }): ReactNode {
  const say = useText(words);
  const found = useResource(`graph/journal/${goal}`, () => graphApi.goal(goal));
  const statuses: Record<string, string> = useText(statusWords);
  const by = useUserName();
  const [undoing, setUndoing] = useState(false);
  return (
    <Loaded of={found}>
      {(entry) => {
        const changes = entry.steps.flatMap((step) => step.changes);
        return (
          <article className="graph-around">
            <a className="split-back" href={hashOf("graph", ["journal"])}>
              <ArrowLeft size={14} aria-hidden /> {say.allEntries}
            </a>
            <header className="graph-entry-head">
              <h2>{visible(nameOf(entry, say))}</h2>
              {entry.undoable && (
                <Button icon={Undo2} onClick={() => setUndoing(true)}>
                  {say.undoing(entry.goal)}…
                </Button>
              )}
            </header>
            <p className="entry-note">
              <span>
                {entry.goal} · {clock(entry.began)}
                {entry.user && ` · ${by(entry.user)}`}
              </span>
              {entry.status === "done" ? (
                <span>{statuses[entry.status]}</span>
              ) : (
                <Badge tone="warn">{statuses[entry.status] ?? entry.status}</Badge>
              )}
              {entry.undone_by && <Badge tone="warn">{say.undoneBy(entry.undone_by)}</Badge>}
              {entry.thread && (
                <a className="graph-talk" href={hashOf("chat", [entry.thread])}>
                  <MessageSquare size={13} aria-hidden />
                  {say.open}
                </a>
              )}
            </p>
            <section aria-label={say.changes}>
              <h2>
                {say.changes} ({numberText(changes.length)})
              </h2>
              {changes.length === 0 ? <p className="muted">{say.noChanges}</p> : <Changes of={changes} />}
            </section>
            {!entry.undoable && !entry.undone_by && changes.length > 0 && <p className="muted">{say.notYours}</p>}
            {undoing && (
              <Undoing
                goal={goal}
                onClose={() => setUndoing(false)}
                onDone={(by) => go(hashOf("graph", ["journal", by]))}
              />
            )}
          </article>
        );
      }}
    </Loaded>
  );
}
