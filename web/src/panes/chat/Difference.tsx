// A difference, a line a change: what comes, what goes, what changes, and what of it nobody said.

import type { ReactNode } from "react";
import { classes } from "../../ui";
import { visible } from "../../ui/visible";

const MARK = "   <- ";
const LOOKS: Record<string, string> = { "+": "added", "-": "removed", "~": "changed" };

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

/** A text with its runs of changed lines as blocks, so that Markdown does not take their signs for a list. */
export function withDifferences(text: string): string {
  if (!/^[+~] /m.test(text) || text.includes("```")) return text;
  return text.replace(/(?:^[+~-] .*(?:\n|$))+/gm, (run) =>
    /^[+~] /m.test(run) ? `\n\`\`\`diff\n${run.trimEnd()}\n\`\`\`\n` : run,
  );
}
