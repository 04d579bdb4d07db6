// Turns that the service has not confirmed. They are stored before their request is sent, so that no text is lost; one
// without an answer stays in the conversation until it is sent again or removed.

import { type Json, type Message, type Run, api } from "../../api";
import { keptByTab } from "../../app/storage";
import type { Live } from "./live";
import { type Given, ids } from "./sent";

export interface Unsent {
  /** Its request may have arrived without an answer: under the same key, the service begins it only once. */
  key: string;
  /** Null for a turn without a message. */
  text: string | null;
  files: Given[];
  asks: { message: string | null; approves: string } | { value: Json; approves: string };
  decision: Live["decision"];
  /** The number of the last message before it. */
  after: number;
}

const isValue = ({ asks }: Unsent): boolean => "value" in asks;

const key = (thread: string) => `graphwright.unsent.${thread}`;
const write = (thread: string, all: readonly Unsent[]) =>
  keptByTab.set(key(thread), all.length > 0 ? JSON.stringify(all) : null);

/** The unsent turns of a thread, which survive a reload. */
export function unsentOf(thread: string): Unsent[] {
  try {
    return JSON.parse(keptByTab.get(key(thread)) ?? "[]") as Unsent[];
  } catch {
    return [];
  }
}

export const forget = (thread: string, gone: Unsent): void =>
  write(
    thread,
    unsentOf(thread).filter((each) => each.key !== gone.key),
  );

/** Stores a turn. Of the answers by a button or field only the last one is kept, because they are to one question. */
export function keep(thread: string, turn: Unsent): void {
  if (turn.text === null) return;
  const others = unsentOf(thread).filter((each) => each.key !== turn.key && !(isValue(each) && isValue(turn)));
  write(thread, [...others, turn]);
}

/** Forgets the turns that are among the messages of the service, and returns the others. */
export function leftUnsent(thread: string, messages: readonly Message[]): Unsent[] {
  const left = unsentOf(thread).filter((each) => !hasArrived(each, messages));
  write(thread, left);
  return left;
}

export const hasArrived = (turn: Unsent, messages: readonly Message[]): boolean =>
  messages.some(
    (each) =>
      each.role === "user" && each.seq > turn.after && (each.text === turn.text || (isValue(turn) && each.by_value)),
  );

/** Sends a turn. */
export function requested(thread: string, { key, files, asks }: Unsent): Promise<Run> {
  return "value" in asks
    ? api.resume(thread, asks.value, asks.approves, key)
    : api.turn(thread, asks.message, ids(files), asks.approves, key);
}
