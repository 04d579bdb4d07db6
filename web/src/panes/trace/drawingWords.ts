// The drawing's own words, in German. Texts of the flow are not changed.

import { nodeWords } from "./words";

const KINDS: Record<string, string> = nodeWords.de;

/** Complete texts: in the legend, at jumps, and at the marks of the begin and end of a graph. */
const WHOLE: Record<string, string> = {
  ...KINDS,
  "when its guard is true": "wenn ihre Bedingung wahr ist",
  "on an error, a dead end, an escalation": "bei Fehler, Sackgasse, Weitergabe",
  "on error": "bei Fehler",
  "on invalid": "bei ungültigen Antworten",
  "when stuck": "in einer Sackgasse",
  "to a person": "an eine Person",
  "from anywhere": "von überall",
  confirms: "bestätigt",
  "begins here": "beginnt hier",
  returns: "kehrt zurück",
};

/** A text of the legend or at a jump. */
export const germanNote = (text: string): string => WHOLE[text] ?? text;

/**
 * A line in the box of a question, a decision or a subgraph, or above the content of a subgraph; the author's texts are
 * not changed.
 */
export const germanLine = (text: string): string =>
  text
    .replace(/^one of (\w+)$/, "eines aus $1")
    .replace(/^the next open question$/, "die nächste offene Frage")
    .replace(/^(\S+ → )?the chosen path(?= · |$)/, "$1der gewählte Weg");

/** The confirmation of an action, one line of it or the whole text. */
export const germanNeeds = (text: string): string =>
  text
    .replace(/^only after a yes to /, "nur nach Ja zu ")
    .replace(/^only after a yes to$/, "nur nach Ja zu")
    .replace(/^where /, "falls ");

/** The text shown on hover: the kind and the id, then the flow's text, then the conditions. */
export function germanTitle(title: string): string {
  const [first = "", ...rest] = title.split("\n");
  const [kind = "", ...id] = first.split(" ");
  const head = id.length > 0 && kind in KINDS ? [KINDS[kind], ...id].join(" ") : germanNote(first);
  return [head, ...rest.map(germanCondition)].join("\n");
}

const germanCondition = (line: string): string =>
  germanLine(line)
    .replace(/^only when /, "nur wenn ")
    .replace(/^one of the options in (\w+)$/, "eine der Möglichkeiten in $1")
    .replace(/^only after a yes to (\S+) over (.*?)(?: where (.*))?$/, (_, by: string, over: string, when?: string) =>
      [`nur nach Ja zu ${by} über ${over}`, when && `falls ${when}`].filter(Boolean).join(" "),
    );
