// The journal of the graph: the goals, the newest first, and one of them.

import { History } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMayWrite } from "../../app/access";
import { numberText, useText } from "../../app/language";
import { useUserName } from "../../app/access";
import { AskAgent } from "../../app/AskAgent";
import { usePages } from "../../app/resource";
import { hashOf } from "../../app/router";
import { Age, Badge, Empty, Failure, Marked, MoreButton, SearchField, Skeleton } from "../../ui";
import { visible } from "../../ui/visible";
import { type Goal, AGENT, graphApi } from "./api";
import { Entry, nameOf } from "./JournalEntry";
import { words } from "./words";

export function Journal({ chosen }: { chosen: string }): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const by = useUserName();
  const [text, setText] = useState("");
  const list = usePages<Goal>("graph/journal", graphApi.journal);
  if (list.error !== undefined) return <Failure error={list.error} retry={list.reload} />;
  if (list.loading) return <Skeleton shape="list" lines={6} />;
  if (list.items.length === 0)
    return (
      <Empty icon={History} title={say.noGoals}>
        {mayWrite && <p>{say.noneHint}</p>}
        <AskAgent agent={AGENT}>{say.ask}</AskAgent>
      </Empty>
    );
  const wanted = text.trim().toLocaleLowerCase();
  const fitting = list.items.filter((each) =>
    `${nameOf(each, say)} ${each.goal} ${each.user}`.toLocaleLowerCase().includes(wanted),
  );
  const shown = chosen || (wide.matches ? (list.items[0]?.goal ?? "") : "");
  return (
    <div className="split" data-chosen={Boolean(chosen)}>
      <nav aria-label={say.journal}>
        <div className="split-filters">
          <SearchField label={say.searchJournal} value={text} onChange={setText} />
        </div>
        {fitting.length === 0 && <p className="split-note">{say.noEntryFound}</p>}
        <ul className="entries">
          {fitting.map((each) => (
            <li key={each.goal}>
              <a href={hashOf("graph", ["journal", each.goal])} aria-current={each.goal === shown ? "page" : undefined}>
                <span className="graph-goal">
                  <Marked text={visible(nameOf(each, say))} letters={wanted} />
                </span>
                <span className="entry-note">
                  <span>
                    {each.goal} · <Age of={each.began} />
                    {each.user && ` · ${by(each.user)}`}
                  </span>
                  {each.undone_by && <Badge tone="warn">{say.undoneBy(each.undone_by)}</Badge>}
                  <Counts of={each.changes} />
                </span>
              </a>
            </li>
          ))}
        </ul>
        <MoreButton more={list.more} />
      </nav>
      {shown && <Entry key={shown} goal={shown} />}
    </div>
  );
}

/** Where the list and an entry have room next to each other. */
const wide = matchMedia("(min-width: 821px)");

/** The number of created, changed and deleted elements. */
function Counts({ of: { created, updated, deleted } }: { of: Goal["changes"] }): ReactNode {
  const say = useText(words);
  const parts = [
    ["created", "+", created],
    ["updated", "~", updated],
    ["deleted", "−", deleted],
  ] as const;
  return (
    <span
      className="graph-counts"
      role="img"
      aria-label={say.counted(numberText(created), numberText(updated), numberText(deleted))}
    >
      {parts.map(
        ([kind, sign, count]) =>
          count > 0 && (
            <span key={kind} className={`graph-${kind}`}>
              {sign}
              {numberText(count)}
            </span>
          ),
      )}
    </span>
  );
}
