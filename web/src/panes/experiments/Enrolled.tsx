// The number of enrolled users in each condition, and whether the split fits the weights.

import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import type { ReactNode } from "react";
import { numberText, percentText, useText } from "../../app/language";
import { Figures } from "../../ui/Figures";
import type { Experiment, Split } from "./api";
import { words } from "./words";

/** The result of the test of the split in a sentence, with its figures for those who know them. */
function Verdict({ of: split }: { of: Split }): ReactNode {
  const say = useText(words);
  const { fair, chi_square, degrees, p_value, enough } = split;
  if (fair === null || p_value === null) return <p className="muted">{say.noneCounted}</p>;
  if (degrees === 0) return <p className="muted">{say.oneCondition}</p>;
  if (chi_square === null) return <Judged tone="bad">{say.weightless}</Judged>;
  const chance = p_value < 0.001 ? `p < ${numberText(0.001, 3)}` : `p = ${numberText(p_value, 2)}`;
  const figures = `${say.test}: χ² = ${numberText(chi_square, 2)}, df = ${degrees}, ${chance}`;
  return (
    <Judged tone={!enough ? "neutral" : fair ? "good" : "bad"} note={figures}>
      {!enough ? say.fewCounted : fair ? say.fits : say.fitsNot}
    </Judged>
  );
}

function Judged({
  tone,
  note,
  children,
}: {
  tone: "good" | "bad" | "neutral";
  note?: string;
  children: string;
}): ReactNode {
  const Sign = { good: CircleCheck, bad: CircleAlert, neutral: CircleDashed }[tone];
  return (
    <p className={`experiment-verdict experiment-${tone}`}>
      <Sign size={16} aria-hidden />
      <span>
        {children} {note && <span className="experiment-test">{note}</span>}
      </span>
    </p>
  );
}

/** One bar for each condition: its proportion of all, with a mark at its weight. */
export function Enrolled({ of: each }: { of: Experiment }): ReactNode {
  const say = useText(words);
  const { enrollment } = each;
  const unit = enrollment?.groups === undefined ? "users" : "groups";
  const rows = enrollment?.conditions ?? each.conditions.map((one) => ({ ...one, users: 0, groups: 0 }));
  const all = rows.reduce((sum, row) => sum + row[unit], 0);
  const weights = rows.reduce((sum, row) => sum + row.weight, 0);
  const begun = enrollment !== undefined && (each.state !== "inactive" || all > 0);
  const share = (part: number, whole: number) => `${whole > 0 ? (100 * part) / whole : 0}%`;
  const figures: [string, number][] = [
    [unit === "groups" ? say.enrolledGroups : say.enrolledUsers, all],
    [say.excludedUsers, enrollment?.excluded_users ?? 0],
    [say.conditions, rows.length],
  ];
  return (
    <section aria-label={say.enrolled} className="experiment-enrolled">
      {begun && (
        <div className="experiment-figures">
          <Figures of={figures.map(([name, value]) => ({ name, value: numberText(value) }))} />
        </div>
      )}
      <h3>{say.enrolled}</h3>
      <ul className="bars">
        {rows.map((row) => {
          const planned = percentText(row.weight, weights);
          return (
            <li key={row.code}>
              <span className="bars-name">{row.code}</span>
              <span className="muted bars-number">
                {begun ? (
                  <>
                    <b>{say[unit](numberText(row[unit]))}</b> · {say.share(percentText(row[unit], all), planned)}
                  </>
                ) : (
                  say.planned(planned)
                )}
              </span>
              <span className="bars-frame" aria-hidden>
                <span className="bars-bar" style={{ width: share(row[unit], all) }} />
                <span className="bars-mark" title={say.planned(planned)} style={{ left: share(row.weight, weights) }} />
              </span>
            </li>
          );
        })}
      </ul>
      <p className="faint experiment-legend">{say.mark}</p>
      {begun ? enrollment.split && <Verdict of={enrollment.split} /> : <p className="muted">{say.notBegun}</p>}
    </section>
  );
}
