// An event on one line: its main content and the details.

import type { TraceRow } from "../../api";
import { type Event, type EventOf, fieldsOf, isStop } from "../../api/events";
import { numberText, secondsText, spoken } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { refusalText } from "../../app/refusals";
import type { NameOf } from "../../app/readable";
import type { Tone } from "../../ui";
import { isObject } from "../../values";
import { answerOf, named, names, number, pairs, short, text, together } from "./format";
import { modelName } from "./timeline";
import { type Say, type kindWords, reasonWords } from "./words";

/** The kind of the event of a line; words.ts has its name. */
export type Kind = keyof (typeof kindWords)["en"];

export interface Line {
  kind: Kind;
  title: string;
  detail: string;
  tone: Tone;
}

const FEW = 3; // the most channels whose values are on the line

type Told = Omit<Line, "kind" | "tone"> & Partial<Line>;
/** The inputs of texts: phrases, the format of amounts of money, and the names of nodes. */
export interface Wording {
  say: Say;
  money: (amount: number) => string;
  nameOf: NameOf;
}

type Teller<Some extends Event> = (row: Omit<TraceRow, "event"> & { event: Some }, wording: Wording) => Told;

interface Failed {
  error?: string;
  message?: string;
  reason?: string;
}

const failure = (event: Failed): string => event.error || event.message || event.reason || "";
/** The text of a reason code; any other reason unchanged. */
function reasonOf(event: Failed): string {
  const reasons: Record<string, string> = spoken(reasonWords);
  return reasons[text(event.reason)] ?? failure(event);
}
const took = (event: { seconds?: number }, say: Say): string => say.seconds(secondsText(number(event.seconds)));

const left: Teller<EventOf<"jumped" | "escalated">> = ({ event }, { nameOf }) => ({
  kind: "edge",
  title: `${nameOf(event.type === "escalated" ? event.node : event.source)} → ${nameOf(event.target)}`,
  detail: reasonOf(event),
  tone: "warn",
});
const noAnswer: Teller<EventOf<"answer_unknown" | "answer_refused">> = ({ event }) => ({
  kind: "refused",
  title: text(event.key),
  detail: failure(event),
  tone: "warn",
});
const failedAction: Teller<EventOf<"action_failed" | "outcome_unknown">> = ({ event }, { say }) => ({
  kind: "failed",
  title: text(event.run),
  detail: together(failure(event), say.attempt(number(event.attempt))),
  tone: "bad",
});
const wrote: Teller<EventOf<"channels_written" | "channels_reset">> = ({ event }) => ({
  kind: "wrote",
  title: isObject(event.values) ? named(Object.keys(event.values)) : "",
  detail: isObject(event.values) && Object.keys(event.values).length <= FEW ? pairs(event.values) : "",
});
const file: Teller<EventOf<"file_given" | "artifact_made">> = ({ event }) => ({
  kind: "file",
  title: text(event.name),
  detail: "kind" in event ? event.kind : "",
});
const changedPath =
  (how: (say: Say) => string): Teller<EventOf<"path_locked" | "path_switched" | "path_corrected">> =>
  ({ event }, { say }) => ({
    kind: "path",
    title: "before" in event && event.before ? `${event.before} → ${event.path}` : event.path,
    detail: how(say),
    tone: "accent",
  });

/** The main content and the details of an event, by its type. */
const TELLERS: { readonly [Type in Event["type"]]?: Teller<EventOf<Type>> } = {
  turn_started: ({ event }) => ({ kind: "turn", title: text(event.message), detail: "", tone: "accent" }),
  question_passed: ({ event }, { say }) => ({
    kind: "passed",
    title: text(event.key),
    detail: event.reason === "answered" || event.reason === "declined" ? say[event.reason] : say.not_applicable,
  }),
  guard_checked: ({ event }, { say }) => ({
    kind: "guard",
    title: text(event.guard),
    detail:
      together(pairs(event.saw), names(event.missing) && say.missing(names(event.missing)), text(event.error)) ||
      say.seesNothing,
    tone: event.opened === true ? "good" : "neutral",
  }),
  edge_taken: ({ event }, { say, nameOf }) => ({
    kind: "edge",
    title: `${nameOf(text(event.source))} → ${nameOf(text(event.target))}`,
    detail: together(
      event.else === true ? "else" : "",
      event.ambiguous === true ? say.alsoOpen(names(event.also_open)) : "",
    ),
    tone: "accent",
  }),
  jumped: left,
  escalated: left,
  subgraph_entered: ({ event }, { nameOf }) => ({
    kind: "subgraph",
    title: nameOf(text(event.ref)),
    detail: text(event.scope) && `answers.${text(event.scope)}`,
  }),
  subgraph_left: ({ event }, { nameOf }) => ({
    kind: "subgraph",
    title: `${nameOf(text(event.ref))} → ${nameOf(text(event.node))}`,
    detail: "",
  }),
  constraint_unmet: ({ event }, { nameOf }) => ({
    kind: "guard",
    title: text(event.message) || names(event.keys),
    detail: text(event.asks) && nameOf(text(event.asks)),
    tone: "warn",
  }),
  answer_committed: ({ event }, { say }) => ({
    kind: "answer",
    title: `${text(event.key)} = ${short(event.value)}`,
    detail: together(
      text(event.quote) && say.quoted(text(event.quote)),
      event.replaced === null || event.replaced === undefined ? "" : say.before(short(event.replaced)),
    ),
    tone: "good",
  }),
  answer_refused: (row, wording) => ({
    ...noAnswer(row, wording),
    title: `${text(row.event.key)} = ${short(row.event.value)}`,
    detail: refusalText(text(row.event.stage), text(row.event.reason)),
  }),
  answer_unknown: noAnswer,
  not_understood: ({ event }, { say }) => ({
    kind: "refused",
    title: text(event.key),
    detail: say.ofVotes(String(number(event.count)), String(number(event.limit))),
    tone: "warn",
  }),
  answer_dropped: ({ event }, { say }) => ({
    kind: "refused",
    title: text(event.reason) ? `${text(event.key)} = ${short(event.value)}` : text(event.key),
    detail: together(reasonOf(event), say.askedAgain, names(event.because) && say.because(names(event.because))),
    tone: "warn",
  }),
  channels_stale: ({ event }, { say }) => ({
    kind: "wrote",
    title: names(event.channels),
    detail: together(say.stale, say.because(names(event.because))),
    tone: "warn",
  }),
  path_voted: ({ event }, { say }) => ({
    kind: "vote",
    title: text(event.path),
    detail: together(
      typeof event.confidence === "number" ? say.sure(percent(event.confidence)) : "",
      event.reason === "unsure" || event.reason === "locked" ? say[event.reason] : "",
      text(event.rationale) && say.quoted(text(event.rationale)),
    ),
    tone: event.counted === false ? "neutral" : "accent",
  }),
  path_locked: changedPath((say) => say.chosen),
  path_switched: changedPath((say) => say.leads),
  path_corrected: changedPath((say) => say.corrected),
  path_refused: ({ event }, { say }) => ({
    kind: "vote",
    title: text(event.path),
    detail: together(event.reason === "several" ? say.several : say.unknown, text(event.rationale)),
    tone: "warn",
  }),
  model_called: ({ event, cost }, { say, money }) => ({
    kind: "model",
    title: answerOf(event.answer) || text(event.error) || modelName(event.model),
    detail: together(
      modelName(event.model),
      say.inOut(numberText(number(event.input_tokens)), numberText(number(event.output_tokens))),
      took(event, say),
      cost === undefined ? "" : money(cost),
      text(event.error),
    ),
    tone: text(event.error) ? "bad" : "neutral",
  }),
  tool_called: ({ event }, { say }) => ({
    kind: "tool",
    title: `${text(event.tool)}(${names(event.arguments)})`,
    detail: together(took(event, say), event.ok === false ? failure(event) : ""),
    tone: event.ok === false ? "bad" : "good",
  }),
  action_started: ({ event }, { say }) => ({
    kind: "action",
    title: text(event.run),
    detail: number(event.attempt) > 1 ? say.attempt(number(event.attempt)) : "…",
  }),
  action_finished: ({ event }, { say }) => ({
    kind: "action",
    title: text(event.run),
    detail: took(event, say),
    tone: "good",
  }),
  action_failed: failedAction,
  outcome_unknown: failedAction,
  outcome_decided: ({ event }, { say }) => ({
    kind: "approval",
    title: event.decision === "again" ? say.again : say.decidedDone,
    detail: "",
  }),
  turn_failed: ({ event }) => {
    if (isStop(event))
      return { kind: "stopped", title: wordsOf({ code: text(event.code), detail: "", hint: "" }).text, detail: "" };
    const { text: title, more } = wordsOf({
      code: text(event.code),
      detail: text(event.message),
      hint: text(event.hint),
    });
    return { kind: "failed", title, detail: more, tone: "bad" };
  },
  turn_resumed: (_, { say }) => ({ kind: "turn", title: say.resumed, detail: "" }),
  handed_over: ({ event }, { say }) => ({
    kind: "other",
    title: event.to ? say.handedOverTo(event.to) : say.handedOver,
    detail: short(event.summary),
  }),
  answers_cleared: (_, { say }) => ({ kind: "answer", title: say.cleared, detail: "" }),
  state_adapted: ({ event }, { say }) => ({
    kind: "other",
    title: say.adapted,
    detail: together(names(event.answers), names(event.channels)),
  }),
  flow_migrated: ({ event }, { say }) => ({
    kind: "other",
    title: event.by ? say.migrated : say.carriesOver,
    detail: names(event.reasons),
  }),
  said: ({ event }) => ({ kind: "said", title: short(event.text), detail: "" }),
  prompted: ({ event }) => ({ kind: "asked", title: short(event.text), detail: "" }),
  channels_written: wrote,
  channels_reset: wrote,
  file_given: file,
  artifact_made: file,
  interaction_noted: ({ event }) => ({ kind: "note", title: text(event.kind), detail: short(event.result) }),
  confirmation_given: ({ event }, { nameOf }) => ({
    kind: "approval",
    title: nameOf(text(event.action)),
    detail: "",
    tone: "good",
  }),
  confirmation_missing: ({ event }, { nameOf }) => ({
    kind: "approval",
    title: nameOf(text(event.action)),
    detail: reasonOf(event),
    tone: "warn",
  }),
  branched: ({ event }, { say }) => ({
    kind: "branch",
    title: names(event.answers) || say.unchanged,
    detail: say.branchOf(text(event.thread), number(event.at)),
    tone: "accent",
  }),
};

/** An event on one line. */
export function lineOf(row: TraceRow, wording: Wording): Line {
  // The type of the event decides which of the functions it is.
  const tell = TELLERS[row.event.type] as ((row: TraceRow, wording: Wording) => Told) | undefined;
  const told = tell?.(row, wording);
  if (told) return { kind: "other", tone: "neutral", ...told };
  const { type: _type, ...rest } = fieldsOf(row.event);
  return { kind: "other", title: row.event.type.replaceAll("_", " "), detail: short(pairs(rest)), tone: "neutral" };
}

const percent = (share: number): string => `${numberText(100 * share)} %`;
