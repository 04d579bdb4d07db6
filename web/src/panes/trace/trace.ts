// What a turn's events say: grouped by the nodes they belong to, each as one line, and the way through the flow.

import type { Json, TraceRow } from "../../api";
import type { Tone } from "../../ui";

/** The events from the entry into a node until the next one is entered. */
export interface Visit {
  node: string;
  rows: TraceRow[];
}

export interface Way {
  nodes: Set<string>;
  /** Edges as `SOURCE → TARGET`, the first line of their titles in the drawing. */
  edges: Set<string>;
  /** Where the walk stands at the end. */
  active: string;
}

/** What kind of event a line is about; its name stands in words.ts. */
export type Kind =
  | "turn"
  | "guard"
  | "edge"
  | "answer"
  | "refused"
  | "vote"
  | "model"
  | "tool"
  | "action"
  | "said"
  | "asked"
  | "wrote"
  | "file"
  | "approval"
  | "failed"
  | "other";

export interface Line {
  kind: Kind;
  title: string;
  detail: string;
  tone: Tone;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const number = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
const names = (value: Json | undefined): string => (Array.isArray(value) ? value.join(", ") : "");

const LONGEST = 160;

/** A value in one line. */
export function short(value: Json | undefined): string {
  const whole = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1)}…` : whole;
}

const pairs = (value: Json | undefined): string =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, each]) => `${name} = ${short(each)}`)
        .join(", ")
    : "";

/** Checkpoints repeat what other events say: they are left out of the list. */
export const isShown = (row: TraceRow): boolean => row.event.type !== "state_saved";

export function visitsOf(rows: readonly TraceRow[]): Visit[] {
  const visits: Visit[] = [];
  for (const row of rows) {
    if (!isShown(row)) continue;
    const last = visits.at(-1);
    const node = text(row.event.node);
    if (!last || row.event.type === "node_entered") visits.push({ node, rows: [row] });
    else {
      // What comes before the first entry belongs to the node where the turn took up.
      last.node ||= node;
      last.rows.push(row);
    }
  }
  return visits;
}

const WALKS = new Set(["node_entered", "action_started", "prompted", "subgraph_left"]);

/** The way up to event `at`, or to the end. */
export function wayOf(rows: readonly TraceRow[], at = Infinity): Way {
  const way: Way = { nodes: new Set(), edges: new Set(), active: "" };
  const stand = (node: string) => {
    if (node) way.nodes.add((way.active = node));
  };
  for (const { seq, event } of rows) {
    if (seq > at) break;
    if (event.type === "edge_taken" || event.type === "jumped" || event.type === "escalated") {
      const source = text(event.source) || text(event.node);
      const target = text(event.target);
      if (source) way.nodes.add(source);
      const leaves = target === "__exit__";
      way.edges.add(`${source} → ${leaves ? "exit" : target}`);
      if (!leaves) stand(target);
    } else if (!way.active || WALKS.has(event.type)) stand(text(event.node)); // a turn may take up inside a node
  }
  return way;
}

/** Model calls, tokens and seconds of some events. */
export function sumOf(rows: readonly TraceRow[]): { calls: number; tokens: number; seconds: number } {
  const sum = { calls: 0, tokens: 0, seconds: 0 };
  for (const { event } of rows)
    if (event.type === "model_called") {
      sum.calls += 1;
      sum.tokens += number(event.input_tokens) + number(event.output_tokens);
      sum.seconds += number(event.seconds);
    }
  return sum;
}

/** An event in one line: its main thing, and what goes with it. */
export function lineOf({ event }: TraceRow): Line {
  const line = (kind: Kind, title: string, detail = "", tone: Tone = "neutral"): Line => ({
    kind,
    title,
    detail,
    tone,
  });
  const seconds = `${number(event.seconds).toFixed(2)} s`;
  const failure = text(event.error) || text(event.message) || text(event.reason);
  switch (event.type) {
    case "turn_started":
      return line("turn", text(event.message), text(event.flow), "accent");
    case "node_entered":
      return line("other", text(event.kind), text(event.graph));
    case "guard_checked": {
      const saw = [pairs(event.saw), names(event.missing) && `? ${names(event.missing)}`, text(event.error)];
      return line(
        "guard",
        text(event.guard),
        saw.filter(Boolean).join(" · "),
        event.opened === true ? "good" : "neutral",
      );
    }
    case "edge_taken":
      return line("edge", `${text(event.source)} → ${text(event.target)}`, event.else === true ? "else" : "", "accent");
    case "jumped":
    case "escalated":
      return line("edge", `${text(event.source) || text(event.node)} → ${text(event.target)}`, failure, "warn");
    case "answer_committed":
      return line("answer", `${text(event.key)} = ${short(event.value)}`, quoted(event.quote), "good");
    case "answer_refused":
      return line("refused", `${text(event.key)} = ${short(event.value)}`, failure, "warn");
    case "answer_unknown":
    case "not_understood":
    case "answer_dropped":
      return line("refused", text(event.key), failure, "warn");
    case "path_voted":
      return line("vote", text(event.path), `${pairs(event.votes)} / ${number(event.threshold)}`, "accent");
    case "model_called": {
      const tokens = `${number(event.input_tokens)} + ${number(event.output_tokens)} tokens`;
      const error = text(event.error);
      return line(
        "model",
        short(event.answer),
        [tokens, seconds, error].filter(Boolean).join(" · "),
        error ? "bad" : "neutral",
      );
    }
    case "tool_called": {
      const ok = event.ok !== false;
      const given = `${text(event.tool)}(${names(event.arguments)})`;
      return line("tool", given, ok ? seconds : `${seconds} · ${failure}`, ok ? "good" : "bad");
    }
    case "action_started":
      return line("action", text(event.run), "…");
    case "action_finished":
      return line("action", text(event.run), seconds, "good");
    case "action_failed":
    case "outcome_unknown":
    case "turn_failed":
      return line("failed", text(event.run) || text(event.node), failure, "bad");
    case "said":
    case "prompted":
      return line(event.type === "said" ? "said" : "asked", short(event.text));
    case "channels_written":
    case "channels_reset":
      return line("wrote", Object.keys((event.values as object | null) ?? {}).join(", "));
    case "file_given":
    case "artifact_made":
      return line("file", text(event.name), text(event.kind));
    case "confirmation_given":
      return line("approval", text(event.action), "", "good");
    case "confirmation_missing":
      return line("approval", text(event.action), failure, "warn");
    default: {
      const { type, ...rest } = event;
      return line("other", type.replaceAll("_", " "), short(pairs(rest)));
    }
  }
}

const quoted = (value: Json | undefined): string => (text(value) ? `“${text(value)}”` : "");

/** What somebody typed for an answer: JSON where it is JSON, else text. */
export function typed(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
