// A turn in progress: its events so far.

import type { Decided, Json, RunEvent } from "../../api";
import { STOPPED } from "../../api/events";
import type { Told } from "../../app/problems";
import type { TurnMessages } from "./turns";

export interface Live {
  /** The user's message; null for a turn without one. */
  message: string | null;
  files: string[];
  /** The events so far, without the pieces of texts. */
  events: RunEvent[];
  /** Completed texts. */
  said: string[];
  /** The text that is being written; the completed text replaces it. */
  writing: string;
  /** The node where the turn is. */
  node: string;
  ending: "turn_ended" | "run_failed" | "run_cancelled" | null;
  /** A message that was sent but not read, because an earlier interrupted turn was finished first. */
  unread: string;
  /** The connection is lost; the turn continues, and so do the attempts to reconnect. */
  lost: boolean;
  /** Why it failed, or null. */
  problem: Told | null;
  /** The decision of the turn about the pending approval, or null. */
  decision: { decision: Decided["decision"] | "answered"; hash: string; plain: boolean } | null;
}

export const begun = (message: string | null, files: string[] = [], decision: Live["decision"] = null): Live => ({
  message,
  files,
  decision,
  events: [],
  said: [],
  writing: "",
  node: "",
  ending: null,
  unread: "",
  lost: false,
  problem: null,
});

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The turn after one more event. */
export function after(live: Live, event: RunEvent): Live {
  switch (event.type) {
    case "saying":
      return { ...live, writing: (event.afresh === true ? "" : live.writing) + text(event.text) };
    case "said":
    case "prompted":
      return { ...withEvent(live, event), said: [...live.said, text(event.text)].filter(Boolean), writing: "" };
    case "turn_started":
      return { ...withEvent(live, event), message: live.message ?? (text(event.message) || null) };
    case "file_given":
      return { ...withEvent(live, event), files: [...new Set([...live.files, text(event.name)])] };
    case "node_entered":
    case "action_started":
      return { ...withEvent(live, event), node: text(event.node) };
    case "turn_failed":
      return { ...withEvent(live, event), problem: problemIn(event) };
    case "turn_ended": {
      const problem = event.error ? problemIn(event.error) : live.problem;
      return { ...live, ending: event.type, problem, unread: text(event.unread), writing: "" };
    }
    case "run_failed": {
      return { ...live, ending: event.type, problem: problemIn(event.problem) };
    }
    case "run_cancelled":
      return { ...live, ending: event.type };
    default:
      return withEvent(live, event);
  }
}

/** Why a finished turn failed; undefined if it did not. */
export function failureIn(events: readonly RunEvent[]): Told | undefined {
  const failed = events.findLast((each) => each.type === "turn_failed");
  return failed && problemIn(failed);
}

/** The number of the turn, once the service has begun it. */
export const numberOf = (live: Live): number | undefined =>
  live.events.find((each) => each.type === "turn_started")?.turn;

/** Whether a turn is the followed one, with its message: an interrupted turn may have stored nothing. */
export const isOf = (live: Live) => (turn: TurnMessages) =>
  turn.turn === numberOf(live) &&
  (live.message === null || turn.messages.some((each) => each.role === "user" && each.text === live.message));

/** How many of the last texts of a turn came after its failure: the question that still waits. */
export function textsAfterFailure(events: readonly RunEvent[]): number {
  const at = events.findLastIndex((each) => each.type === "turn_failed");
  const told = at < 0 ? [] : events.slice(at);
  return told.filter((each) => (each.type === "said" || each.type === "prompted") && text(each.text) !== "").length;
}

/** How a turn ended that did not finish. */
export const endOf = (live: Live): Told =>
  live.ending === "run_cancelled"
    ? { code: STOPPED, detail: "", hint: "" }
    : (live.problem ?? { code: "", detail: "", hint: "" });

/** Whether two states of a turn differ at most in the text that is being written. */
export const sameButText = (one: Live, other: Live): boolean =>
  (Object.keys(one) as (keyof Live)[]).every((name) => name === "writing" || one[name] === other[name]);

/** An error of a turn has a message, a problem of the service a detail. */
export const problemIn = (error: { code?: string; detail?: string; message?: string; hint?: string }): Told => ({
  code: text(error.code),
  detail: text(error.detail) || text(error.message),
  hint: text(error.hint),
});

const withEvent = (live: Live, event: RunEvent): Live => ({ ...live, events: [...live.events, event] });
