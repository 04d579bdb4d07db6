// The totals of the turns that fit the filters, and their numbers over time, in which a part is chosen.

import type { ReactNode } from "react";
import type { LogSummary } from "../../api";
import { numberText, percentText, secondsText, useText } from "../../app/language";
import { periodOf } from "../../app/period";
import { Figures } from "../../ui/Figures";
import { Histogram } from "../../ui/Histogram";
import type { Filters } from "./filters";
import { words } from "./words";

interface Props {
  of: LogSummary;
  set(change: Partial<Filters>): void;
}

export function Totals({ of, set }: Props): ReactNode {
  const say = useText(words);
  const { count, failed, tokens, median, p95, bars, bar_seconds } = of;
  if (count === 0) return null;
  return (
    <div className="list-totals" role="group" aria-label={say.totals}>
      <Figures
        small
        of={[
          { name: say.turns, value: numberText(count) },
          {
            name: say.failedTurns,
            value: failed > 0 ? say.partOf(numberText(failed), percentText(failed, count)) : "0",
            ...(failed > 0 ? { tone: "bad" } : {}),
          },
          { name: say.median, value: say.secondsShort(secondsText(median)) },
          { name: say.p95, value: say.secondsShort(secondsText(p95)) },
          { name: say.tokens, value: numberText(tokens) },
        ]}
      />
      <Histogram
        label={say.overTime}
        bars={bars}
        seconds={bar_seconds}
        counted={say.turnsOf}
        onChoose={(since, until) => set(periodOf(since, until))}
      />
    </div>
  );
}
