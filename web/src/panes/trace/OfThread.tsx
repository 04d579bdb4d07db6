// The trace of a thread: its flow with the way of a turn, and the turns with their timelines and events.

import { ArrowLeft, ChevronRight, History, MessageSquare, RefreshCw, Workflow } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { type TraceRow, type TurnRow, nodeOf } from "../../api";
import { useTitleOf } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { clock, secondsText, useText } from "../../app/language";
import { NodeNames, useNamesOf } from "../../app/nodes";
import { go, hashOf } from "../../app/router";
import { createSetting, useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import { Badge, Button, Empty, Failure, IconButton, Loaded, MoreButton, Skeleton, StatusDot, classes } from "../../ui";
import { Timeline } from "./Timeline";
import { TraceCanvas } from "./TraceCanvas";
import { Sum, Visits } from "./Turns";
import { useEvents, useThread, useTurns } from "./follow";
import { shownOf } from "./trace";
import { withoutMarks } from "../../ui/plain";
import { walkOf } from "../../flow-canvas/way";
import { words } from "./words";

const flowSetting = createSetting("trace.flow", ["shown", "hidden"] as const, "shown");

interface Props {
  id: string;
  query: URLSearchParams;
  beside: boolean;
}

export function OfThread({ id, query, beside }: Props): ReactNode {
  const say = useText(words);
  const titleOf = useTitleOf();
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
  const walk = useMemo(
    () =>
      live && told.length > 0
        ? walkOf(told)
        : walkOf(
            rows.map((row) => row.event),
            event === null ? rows.length : rows.filter(({ seq }) => seq <= event).length,
          ),
    [live, told, rows, event],
  );
  const flow = useStore(flowSetting);
  const shown = useMemo(() => shownOf(rows), [rows]);
  const notes = useMemo(() => notesOf(rows, (seconds) => say.seconds(secondsText(seconds))), [rows, say]);
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
        {!beside && (
          <a className="trace-back" href={hashOf("trace")}>
            <ArrowLeft size={15} aria-hidden />
            {say.group}
          </a>
        )}
        <div className="trace-title-bar">
          <Title className="cut">
            {beside
              ? walk.active
                ? say.at(nameOf(walk.active))
                : ""
              : withoutMarks(thread.data?.title || titleOf(thread.data?.agent ?? ""))}
          </Title>
          {!beside && thread.data && (
            <span className="faint cut">
              {[
                titleOf(thread.data.agent),
                clock(thread.data.created),
                say.turnsOf(thread.data.turns),
                turns.more === null &&
                  say.seconds(secondsText(turns.items.reduce((sum, each) => sum + each.seconds, 0))),
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
          )}
        </div>
        {running && <StatusDot tone="busy" label={say.live} />}
        {!beside && walk.active && (
          <Badge tone={walk.failed ? "bad" : walk.stopped ? "neutral" : "accent"}>
            {(walk.failed ? say.failedAt : walk.stopped ? say.stoppedAt : say.at)(nameOf(walk.failed || walk.active))}
          </Badge>
        )}
        {!beside && (
          <a
            className="icon-button"
            href={hashOf("chat", [id])}
            aria-label={say.toConversation}
            title={say.toConversation}
          >
            <MessageSquare size={16} aria-hidden />
          </a>
        )}
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
            {flow === "shown" && (
              <div className="trace-drawing" role="region" aria-label={say.flow}>
                <TraceCanvas thread={now.thread} walk={walk} notes={notes} onNode={toNode} />
              </div>
            )}
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
                        <Timeline
                          rows={rows}
                          began={each.time}
                          event={event}
                          onEvent={(seq) => open({ turn, event: seq })}
                        />
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
        {turn.message ?? say.noMessage}
      </span>
      {turn.failed && <Badge tone="bad">{say.failedTurn}</Badge>}
      {turn.stopped && <Badge>{say.stoppedTurn}</Badge>}
      <Sum of={turn} currency={currency} />
    </button>
  );
}

/** How long the actions at each node took in this turn. */
function notesOf(rows: readonly TraceRow[], format: (seconds: number) => string): Map<string, string> {
  const seconds = new Map<string, number>();
  for (const { event } of rows)
    if (event.type === "action_finished") seconds.set(event.node, (seconds.get(event.node) ?? 0) + event.seconds);
  return new Map([...seconds].map(([node, sum]) => [node, format(sum)]));
}
