// The trace: the flow drawn with the way taken, and the events of each turn; each can be opened, and a branch can begin
// at it.

import "./trace.css";
import { ChevronRight, History, RefreshCw, Workflow } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { PaneProps } from "..";
import { type TurnRow, api, nodeOf } from "../../api";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { NodeNames, useNamesOf } from "../../app/nodes";
import { useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { createSetting, useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import {
  Age,
  Badge,
  Button,
  Empty,
  Failure,
  IconButton,
  Loaded,
  MoreButton,
  Skeleton,
  StatusDot,
  classes,
} from "../../ui";
import { FlowPicture } from "./FlowPicture";
import { Sum, Visits } from "./Turns";
import { useEvents, useThread, useTurns } from "./follow";
import { isShown, wayOf } from "./trace";
import { words } from "./words";
import { visible } from "../../ui/visible";

const flowSetting = createSetting("trace.flow", ["shown", "hidden"] as const, "shown");

export default function Trace({ rest, query, beside }: PaneProps): ReactNode {
  const thread = rest[0] ?? "";
  return thread ? <OfThread key={thread} id={thread} query={query} beside={beside ?? false} /> : <Choose />;
}

function Choose(): ReactNode {
  const say = useText(words);
  const threads = useResource("threads?of=trace", () => api.threads({ limit: 20 }));
  return (
    <section className="pane">
      <header className="pane-bar">
        <h1>{say.group}</h1>
      </header>
      <div className="pane-body">
        <Empty icon={History} title={say.none}>
          <Loaded of={threads}>
            {({ items }) =>
              items.length === 0 ? (
                <p>{say.noThreads}</p>
              ) : (
                <ul className="trace-choice" aria-label={say.choose}>
                  {items.map((each) => (
                    <li key={each.thread}>
                      <a href={hashOf("trace", [each.thread])}>
                        <span className="cut">{visible(each.title || each.thread)}</span>
                        <span className="faint">
                          <Age of={each.updated} />
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Empty>
      </div>
    </section>
  );
}

interface OfThreadProps {
  id: string;
  query: URLSearchParams;
  beside: boolean;
}

function OfThread({ id, query, beside }: OfThreadProps): ReactNode {
  const say = useText(words);
  const { thread, told, running } = useThread(id);
  const nameOf = useNamesOf(thread.data?.agent ?? "");
  const stamp = `${told.length} ${running} ${thread.data?.updated} ${thread.data?.status}`;
  const turns = useTurns(id, stamp);
  const last = turns.items[0]?.turn ?? 0;
  // The open turn and event are in the address; without a turn it is the last one, 0 means none.
  const turn = query.has("turn") ? Number(query.get("turn")) : last;
  const event = query.has("event") ? Number(query.get("event")) : null;
  const open = (next: { turn: number; event: number | null }, replace = false) => {
    const where = {
      ...(beside ? { beside: "trace" } : {}),
      ...(next.turn === last && next.event === null ? {} : { turn: String(next.turn) }),
      ...(next.event === null ? {} : { event: String(next.event) }),
    };
    go(hashOf(beside ? "chat" : "trace", [id], where), { replace });
  };
  const trace = useEvents(id, turn, turn === last ? stamp : "");
  const { rows, reload } = trace;
  const live = running && turn === last && event === null;
  const way = useMemo(
    () =>
      live && told.length > 0 ? wayOf(told.map((event, seq) => ({ event, seq }))) : wayOf(rows, event ?? Infinity),
    [live, told, rows, event],
  );
  const flow = useStore(flowSetting);
  const shown = rows.filter(isShown);
  const step = (by: number) => {
    const at = shown.findIndex((row) => row.seq === event);
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (next) open({ turn, event: next.seq }, event !== null);
  };
  const toNode = (node: string) => {
    const row = shown.find((each) => nodeOf(each.event) === node);
    if (row) open({ turn, event: row.seq });
  };
  const toggleFlow = () => flowSetting.set(flow === "shown" ? "hidden" : "shown");
  const refresh = () => (void thread.reload(), void turns.reload(), reload());
  useCommands([
    { id: "trace.flow", group: say.group, title: say.toggleFlow, keys: "shift+f", icon: Workflow, run: toggleFlow },
    { id: "trace.next", group: say.group, title: say.next, keys: "shift+j", run: () => step(1) },
    { id: "trace.previous", group: say.group, title: say.previous, keys: "shift+k", run: () => step(-1) },
    { id: "trace.refresh", group: say.group, title: say.refresh, keys: "shift+r", icon: RefreshCw, run: refresh },
    ...(event === null
      ? []
      : [
          {
            id: "trace.close",
            group: say.group,
            title: say.close,
            keys: "shift+x",
            run: () => open({ turn, event: null }),
          },
        ]),
  ]);
  const [Title, Turn] = beside ? (["h3", "h4"] as const) : (["h1", "h2"] as const);
  return (
    <section className="pane">
      <header className="pane-bar trace-bar">
        <Title className="cut">
          {beside ? (way.active ? say.at(nameOf(way.active)) : "") : thread.data?.title || say.group}
        </Title>
        {running && <StatusDot tone="busy" label={say.live} />}
        {!beside && way.active && <Badge tone="accent">{nameOf(way.active)}</Badge>}
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
            {flow === "shown" && <FlowPicture thread={now.thread} way={way} onNode={toNode} />}
            <div className="trace-events" role="region" aria-label={say.events} tabIndex={0}>
              {turns.data && last === 0 && <Empty icon={History} title={say.nothing} />}
              {turns.error !== undefined && <Failure error={turns.error} retry={() => void turns.reload()} />}
              {turns.items.map((each) => (
                <section key={each.turn} className="trace-turn" aria-label={say.turn(each.turn)}>
                  <Turn>
                    <TurnHead
                      of={each}
                      currency={turns.currency}
                      open={each.turn === turn}
                      onOpen={() => open({ turn: each.turn === turn ? 0 : each.turn, event: null })}
                    />
                  </Turn>
                  {each.turn === turn && (
                    <>
                      {trace.loading && <Skeleton lines={6} />}
                      {trace.error !== undefined && <Failure error={trace.error} retry={reload} />}
                      <NodeNames value={nameOf}>
                        <Visits
                          thread={id}
                          heading={beside ? "h5" : "h3"}
                          rows={rows}
                          currency={turns.currency}
                          event={event}
                          onEvent={(seq) => open({ turn, event: seq })}
                        />
                      </NodeNames>
                      <MoreButton more={trace.more ? reload : null} />
                    </>
                  )}
                </section>
              ))}
              {turns.more && (
                <Button look="quiet" className="more" onClick={() => void turns.more?.().catch(failed)}>
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

function TurnHead(props: { of: TurnRow; currency: string; open: boolean; onOpen(): void }): ReactNode {
  const { of: turn, currency, open, onOpen } = props;
  const say = useText(words);
  return (
    <button type="button" className="trace-turn-head" aria-expanded={open} onClick={onOpen}>
      <ChevronRight size={14} aria-hidden />
      <span className="trace-turn-name">{say.turn(turn.turn)}</span>
      <span className="trace-turn-said cut" dir="auto">
        {open ? "" : (turn.message ?? say.noMessage)}
      </span>
      {turn.failed && <Badge tone="bad">{say.failedTurn}</Badge>}
      <Sum of={turn} currency={currency} />
    </button>
  );
}
