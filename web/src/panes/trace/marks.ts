// Parts of the line of an event: the votes of paths, and a message with its quotations marked.

import type { TraceRow } from "../../api";
import { isObject } from "../../values";
import { number } from "./format";

/** The votes of all paths after an event, and the number that a path needs; null if the event is not a vote. */
export function votesOf({ event }: TraceRow): { paths: [string, number][]; threshold: number } | null {
  if (event.type !== "path_voted" || !isObject(event.votes)) return null;
  const paths = Object.entries(event.votes).map(([name, votes]): [string, number] => [name, number(votes)]);
  return { paths: paths.sort((one, other) => other[1] - one[1]), threshold: number(event.threshold) };
}

/** A message in pieces; quotations from which answers were taken are marked. */
export function marked(message: string, quotes: readonly string[]): { text: string; quoted: boolean }[] {
  const found = quotes
    .filter(Boolean)
    .map((quote) => [message.indexOf(quote), quote.length] as const)
    .filter(([at]) => at >= 0)
    .sort(([one], [other]) => one - other);
  const pieces: { text: string; quoted: boolean }[] = [];
  let end = 0;
  for (const [at, length] of found) {
    if (at < end) continue;
    if (at > end) pieces.push({ text: message.slice(end, at), quoted: false });
    pieces.push({ text: message.slice(at, at + length), quoted: true });
    end = at + length;
  }
  if (end < message.length) pieces.push({ text: message.slice(end), quoted: false });
  return pieces;
}
