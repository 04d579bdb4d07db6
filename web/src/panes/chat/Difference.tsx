// A difference, one change on each line: additions, removals and changes, with marks on values that the user did not
// say.

import "./Difference.css";
import type { ReactNode } from "react";
import { classes } from "../../ui";
import { visible } from "../../ui/visible";

const MARK = "   <- ";
const LOOKS: Record<string, string> = { "+": "added", "-": "removed", "~": "changed" };

/** The values that the user did not say; a mark has words before its colon. */
export const marksIn = (text: string): string[] =>
  visible(text)
    .split("\n")
    .flatMap((line) => line.split(MARK, 2)[1] ?? [])
    .map((mark) => mark.slice(mark.indexOf(": ") + 1).trim());

export function Difference({ text }: { text: string }): ReactNode {
  return (
    <div className="difference" role="list">
      {visible(text)
        .split("\n")
        .map((line, index) => {
          const [what = "", mark] = line.split(MARK, 2);
          const sign = /^([+~-]) /.exec(what)?.[1] ?? "";
          return (
            <div
              key={index}
              role="listitem"
              className={classes("difference-line", sign && `difference-${LOOKS[sign]}`)}
            >
              <span className="difference-sign">{sign}</span>
              <span>
                {sign ? what.slice(2) : what}
                {mark && <span className="unsupported">{mark}</span>}
              </span>
            </div>
          );
        })}
    </div>
  );
}

const RUN = /(?:^[+~-] .*(?:\n|$))+/gm;
/** A run of lines with `-` only may be a list. */
const isChange = (run: string): boolean => /^[+~] /m.test(run);

/** A text with its sequences of changed lines as blocks, so that Markdown does not read their signs as a list. */
export function withDifferences(text: string): string {
  if (!isChange(text) || text.includes("```")) return text;
  return text.replace(RUN, (run) => (isChange(run) ? `\n\`\`\`diff\n${run.trimEnd()}\n\`\`\`\n` : run));
}

/** The changed lines of a text. */
export const changesIn = (text: string): string[] =>
  (text.match(RUN) ?? []).filter(isChange).flatMap((run) => run.trimEnd().split("\n"));
