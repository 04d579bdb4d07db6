// The events of a turn by node, each as one line that opens.

import { type ReactNode, useEffect, useRef, useState } from "react";
import type { EventOf, TraceRow, TurnRow } from "../../api";
import { moneyText, numberText, secondsText, useText } from "../../app/language";
import { useNodeNames } from "../../app/nodes";
import { Badge, MoreButton, classes } from "../../ui";
import { Detail } from "./Detail";
import { lineOf } from "./lines";
import { marked, votesOf } from "./marks";
import { shownOf, visitsOf } from "./trace";
import { kindWords, nodeWords, words } from "./words";
import { visible } from "../../ui/visible";

const SHOWN = 300; // lines of a turn at first, and with each "more"

/** The duration of a turn, and its usage. */
export function Sum({ of: turn, currency }: { of: TurnRow; currency: string }): ReactNode {
  const say = useText(words);
  const { calls, tokens, seconds, cost } = turn;
  return (
    <span className="trace-sum faint">
      {[
        say.seconds(secondsText(seconds)),
        calls > 0 ? say.calls(calls) : "",
        calls > 0 ? say.tokens(numberText(tokens)) : "",
        cost ? moneyText(cost, currency) : "",
      ]
        .filter(Boolean)
        .join(" · ")}
    </span>
  );
}

interface Props {
  thread: string;
  /** The element of the head of a visit, one level below the turn. */
  heading: "h3" | "h5";
  rows: TraceRow[];
  currency: string;
  /** The open event. */
  event: number | null;
  onEvent(seq: number | null): void;
}

export function Visits({ thread, heading: Heading, rows, currency, event, onEvent }: Props): ReactNode {
  const nameOf = useNodeNames();
  const [most, setMost] = useState(SHOWN);
  const open = useRef<HTMLLIElement>(null);
  useEffect(() => void open.current?.scrollIntoView({ block: "nearest" }), [event]);
  const listed = shownOf(rows);
  // An open event is shown even if it is beyond the limit.
  const room = Math.max(most, listed.findIndex((row) => row.seq === event) + 1);
  const quotes = rows.flatMap(({ event: each }) =>
    each.type === "answer_committed" && each.quote ? [each.quote] : [],
  );
  const detail = (row: TraceRow) => <Detail key={row.seq} thread={thread} row={row} onClose={() => onEvent(null)} />;
  const line = (row: TraceRow) => {
    const chosen = row.seq === event;
    return (
      <li key={row.seq} ref={chosen ? open : undefined}>
        <TraceLine row={row} quotes={quotes} currency={currency} open={chosen} onOpen={onEvent} />
        {chosen && detail(row)}
      </li>
    );
  };
  return (
    <>
      {visitsOf(listed.slice(0, room)).map((visit) => {
        const entry = visit.rows.find((row) => row.event.type === "node_entered");
        return (
          <section key={visit.rows[0]?.seq} className="trace-visit" aria-label={nameOf(visit.node)}>
            {visit.node && (
              <Heading className="trace-visit-head">
                {entry ? (
                  <Entry row={entry} open={entry.seq === event} onOpen={onEvent} />
                ) : (
                  <span className="trace-node" title={visit.node}>
                    {nameOf(visit.node)}
                  </span>
                )}
              </Heading>
            )}
            {entry?.seq === event && entry && detail(entry)}
            <ol>{visit.rows.filter((row) => row !== entry).map(line)}</ol>
          </section>
        );
      })}
      <MoreButton more={listed.length > room ? () => setMost(room + SHOWN) : null} />
    </>
  );
}

/** The event of entering a node: the head of the events there. */
function Entry({ row, open, onOpen }: { row: TraceRow; open: boolean; onOpen(seq: number | null): void }): ReactNode {
  const nodes: Record<string, string> = useText(nodeWords);
  const nameOf = useNodeNames();
  const { node, kind, graph } = row.event as EventOf<"node_entered">;
  return (
    <button type="button" className="trace-line" aria-expanded={open} onClick={() => onOpen(open ? null : row.seq)}>
      <span className="trace-node" title={node}>
        {nameOf(node)}
      </span>
      <span className="trace-more">{[nodes[kind] ?? kind, graph && nameOf(graph)].filter(Boolean).join(" · ")}</span>
    </button>
  );
}

function TraceLine(props: {
  row: TraceRow;
  quotes: string[];
  currency: string;
  open: boolean;
  onOpen(seq: number | null): void;
}): ReactNode {
  const { row, quotes, currency, open, onOpen } = props;
  const say = useText(words);
  const kinds = useText(kindWords);
  const nameOf = useNodeNames();
  const { kind, title, detail, tone } = lineOf(row, { say, nameOf, money: (amount) => moneyText(amount, currency) });
  const votes = votesOf(row);
  return (
    <button
      type="button"
      className={classes("trace-line", `trace-${tone}`)}
      aria-expanded={open}
      onClick={() => onOpen(open ? null : row.seq)}
    >
      {kinds[kind] && <span className="trace-kind">{kinds[kind]}</span>}
      <span className="trace-title" dir="auto">
        {row.event.type === "turn_started"
          ? title
            ? marked(title, quotes).map((piece, index) =>
                piece.quoted ? <mark key={index}>{visible(piece.text)}</mark> : visible(piece.text),
              )
            : say.noMessage
          : title}
      </span>
      {kind === "guard" && row.event.type === "guard_checked" && (
        <Badge tone={tone}>{row.event.opened === true ? say.open : say.closed}</Badge>
      )}
      {votes && (
        <span
          className="trace-votes"
          role="img"
          aria-label={`${say.votes}: ${ballot(votes.paths, votes.threshold, say.ofVotes)}`}
        >
          {votes.paths.map(([path, number]) => (
            <span key={path}>
              <span>{path}</span>
              <span className="trace-bar-frame">
                <span style={{ width: `${Math.min(100, (100 * number) / (votes.threshold || 1))}%` }} />
              </span>
              <span>{say.ofVotes(numberText(number, 2), numberText(votes.threshold, 2))}</span>
            </span>
          ))}
        </span>
      )}
      {detail && <span className="trace-more">{detail}</span>}
    </button>
  );
}

const ballot = (paths: [string, number][], threshold: number, of: (votes: string, all: string) => string): string =>
  paths.map(([path, number]) => `${path} ${of(numberText(number, 2), numberText(threshold, 2))}`).join(", ");
