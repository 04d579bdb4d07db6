// The trace: the flow drawn with the way taken, and the events of each turn; any of them opens, and a branch begins there.

import "./trace.css";
import { ChevronRight, History, RefreshCw, Workflow } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { PaneProps } from "..";
import { type Run, type Thread, type TraceRow, api, follow } from "../../api";
import { useCommands } from "../../app/commands";
import { ago, numberText, useText } from "../../app/language";
import { usePages, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { createSetting, useStore } from "../../app/store";
import { Badge, Button, Empty, Failure, IconButton, Loaded, MoreButton, Skeleton, StatusDot, classes } from "../../ui";
import { paneTitles } from "..";
import { Detail } from "./Detail";
import { FlowPicture } from "./FlowPicture";
import { isShown, lineOf, sumOf, visitsOf, wayOf } from "./trace";
import { kindWords, words } from "./words";

const PAGE = 500; // events
const TURNS = 20; // turns listed at first, and with each "more"
const LOOK = 2000; // ms between looks at what a turn elsewhere did
const flowSetting = createSetting("trace.flow", ["shown", "hidden"] as const, "shown");

type ThreadNow = Thread & { run?: Run | null };

export default function Trace({ rest, beside }: PaneProps): ReactNode {
  const thread = rest[0] ?? "";
  return thread ? <OfThread key={thread} id={thread} beside={beside ?? false} /> : <Choose />;
}

function Choose(): ReactNode {
  const say = useText(words);
  const titles = useText(paneTitles);
  const threads = useResource("threads?of=trace", () => api.threads({ limit: 20 }));
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{titles.trace}</h1>
      </header>
      <div className="pane-body">
        <Empty icon={History} title={say.none}>
          <Loaded of={threads}>
            {({ items }) => (
              <ul className="trace-choice" aria-label={say.choose}>
                {items.map((each) => (
                  <li key={each.thread}>
                    <a href={hashOf("trace", [each.thread])}>
                      <span className="cut">{each.title || each.thread}</span>
                      <span className="faint">{ago(each.updated)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </Empty>
      </div>
    </section>
  );
}

/** The thread, looked at again and again while the page is visible, and the turn and node of a run that goes on. */
function useThread(id: string) {
  const thread = useResource<ThreadNow>(`thread:${id}`, () => api.thread(id) as Promise<ThreadNow>);
  const { reload } = thread;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && void reload(), LOOK);
    return () => clearInterval(timer);
  }, [reload]);
  const run = thread.data?.run?.status === "running" ? thread.data.run.id : "";
  const [live, setLive] = useState({ turn: 0, steps: 0 });
  useEffect(() => {
    if (!run) return;
    const stopping = new AbortController();
    let timer = 0;
    const listen = async () => {
      for await (const { event } of follow(run, stopping.signal)) {
        const turn = event.type === "turn_started" && typeof event.turn === "number" ? event.turn : 0;
        // Many events a second become one reading of the trace.
        if (event.type === "saying" || (timer && !turn)) continue;
        if (turn) setLive(({ steps }) => ({ turn, steps: steps + 1 }));
        timer = window.setTimeout(() => {
          timer = 0;
          setLive((now) => ({ ...now, steps: now.steps + 1 }));
        }, 300);
      }
    };
    // What it cannot follow, the next look shows.
    void listen()
      .catch(() => undefined)
      .finally(() => !stopping.signal.aborted && void reload());
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [run, reload]);
  return { thread, live, running: run !== "" };
}

function OfThread({ id, beside }: { id: string; beside: boolean }): ReactNode {
  const say = useText(words);
  const titles = useText(paneTitles);
  const { thread, live, running } = useThread(id);
  const last = Math.max(thread.data?.turns ?? 0, live.turn);
  const [chosen, setChosen] = useState<number | null>(null); // null follows the last turn, 0 is none
  const [event, setEvent] = useState<number | null>(null);
  const [listed, setListed] = useState(TURNS);
  const turn = chosen ?? last;
  const trace = usePages(turn > 0 ? `trace:${id}:${turn}` : "", (cursor) =>
    api.trace(id, { turn, limit: PAGE, ...(cursor ? { since: Number(cursor) } : {}) }),
  );
  // The trace is read again when the thread went on.
  const stamp = `${live.steps} ${thread.data?.updated} ${thread.data?.status}`;
  const read = useRef(stamp);
  const { reload } = trace;
  useEffect(() => {
    if (read.current === stamp) return;
    read.current = stamp;
    if (turn === last && turn > 0) reload();
  });
  const shown = trace.items.filter(isShown);
  const signature = `${turn} ${trace.items.length} ${trace.items.at(-1)?.seq} ${event}`;
  const way = useMemo(() => wayOf(trace.items, event ?? Infinity), [signature]);
  const flow = useStore(flowSetting);
  const step = (by: number) => {
    const at = shown.findIndex((row) => row.seq === event);
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (next) setEvent(next.seq);
  };
  const toggleFlow = () => flowSetting.set(flow === "shown" ? "hidden" : "shown");
  const refresh = () => (void thread.reload(), turn > 0 && reload());
  useCommands([
    { id: "trace.flow", group: say.group, title: say.toggleFlow, keys: "shift+f", icon: Workflow, run: toggleFlow },
    { id: "trace.next", group: say.group, title: say.next, keys: "shift+j", run: () => step(1) },
    { id: "trace.previous", group: say.group, title: say.previous, keys: "shift+k", run: () => step(-1) },
    { id: "trace.refresh", group: say.group, title: say.refresh, keys: "shift+r", icon: RefreshCw, run: refresh },
    ...(event === null
      ? []
      : [{ id: "trace.close", group: say.group, title: say.close, keys: "shift+x", run: () => setEvent(null) }]),
  ]);
  const choose = (next: number) => {
    setChosen(next === last ? null : next);
    setEvent(null);
  };
  const Title = beside ? "h3" : "h1";
  return (
    <section className="pane">
      <header className="pane-bar trace-bar">
        <Title className="cut">
          {beside ? (way.active ? say.at(way.active) : "") : thread.data?.title || titles.trace}
        </Title>
        {running && <StatusDot tone="busy" label={say.live} />}
        {!beside && way.active && <Badge tone="accent">{way.active}</Badge>}
        <IconButton
          icon={Workflow}
          label={say.toggleFlow}
          keys="shift+f"
          aria-pressed={flow === "shown"}
          onClick={toggleFlow}
        />
        <IconButton icon={RefreshCw} label={say.refresh} keys="shift+r" onClick={refresh} />
      </header>
      <Loaded of={thread}>
        {(now) => (
          <div className={classes("trace", beside && "trace-beside")} data-flow={flow}>
            {flow === "shown" && <FlowPicture agent={now.agent} way={way} label={say.flow} />}
            <div className="trace-events" role="region" aria-label={say.events} tabIndex={0}>
              {last === 0 && <Empty icon={History} title={say.nothing} />}
              {Array.from({ length: Math.min(listed, last) }, (_, index) => last - index).map((number) => (
                <section key={number} className="trace-turn">
                  <button
                    type="button"
                    className="trace-turn-head"
                    aria-expanded={number === turn}
                    onClick={() => choose(number === turn ? 0 : number)}
                  >
                    <ChevronRight size={14} aria-hidden />
                    {say.turn(number)}
                    {number === turn && <Sum rows={trace.items} />}
                  </button>
                  {number === turn && (
                    <>
                      {trace.loading && <Skeleton lines={6} />}
                      {trace.error !== undefined && <Failure error={trace.error} retry={reload} />}
                      <Visits thread={id} rows={trace.items} event={event} onEvent={setEvent} />
                      <MoreButton more={trace.more} />
                    </>
                  )}
                </section>
              ))}
              {listed < last && (
                <Button look="quiet" className="more" onClick={() => setListed(listed + TURNS)}>
                  {say.olderTurns}
                </Button>
              )}
            </div>
          </div>
        )}
      </Loaded>
    </section>
  );
}

function Sum({ rows }: { rows: TraceRow[] }): ReactNode {
  const say = useText(words);
  const { calls, tokens, seconds } = sumOf(rows);
  return calls > 0 && <span className="faint">{say.sum(calls, numberText(tokens), numberText(seconds, 1))}</span>;
}

interface VisitsProps {
  thread: string;
  rows: TraceRow[];
  event: number | null;
  onEvent(seq: number | null): void;
}

function Visits({ thread, rows, event, onEvent }: VisitsProps): ReactNode {
  const say = useText(words);
  const kinds = useText(kindWords);
  const open = useRef<HTMLLIElement>(null);
  useEffect(() => void open.current?.scrollIntoView({ block: "nearest" }), [event]);
  return visitsOf(rows).map((visit) => (
    <section key={visit.rows[0]?.seq} className="trace-visit" aria-label={visit.node}>
      {visit.node && <h4 className="mono">{visit.node}</h4>}
      <ol>
        {visit.rows.map((row) => {
          const { kind, title, detail, tone } = lineOf(row);
          const verdict = kind === "guard" ? (row.event.opened === true ? say.open : say.closed) : "";
          const chosen = row.seq === event;
          return (
            <li key={row.seq} ref={chosen ? open : undefined}>
              <button
                type="button"
                className={classes("trace-line", `trace-${tone}`)}
                aria-expanded={chosen}
                onClick={() => onEvent(chosen ? null : row.seq)}
              >
                {kinds[kind] && <span className="trace-kind">{kinds[kind]}</span>}
                <span className="trace-title">{title}</span>
                {verdict && <Badge tone={tone}>{verdict}</Badge>}
                {detail && <span className="trace-more">{detail}</span>}
              </button>
              {chosen && <Detail key={row.seq} thread={thread} row={row} onClose={() => onEvent(null)} />}
            </li>
          );
        })}
      </ol>
    </section>
  ));
}
