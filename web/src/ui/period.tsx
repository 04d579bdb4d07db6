// The choice of a range of time: the last hour, day, week or month, or from one time to another.

import type { ReactNode } from "react";
import { texts, useText } from "../app/language";
import { OWN, PERIODS, type Period, type PeriodName, isPeriod } from "../app/period";
import { FilterSelect } from "./filters";

const words = texts({
  period: ["Time", "Zeit"],
  any: ["Any time", "Jede Zeit"],
  hour: ["Last hour", "Letzte Stunde"],
  day: ["Last 24 hours", "Letzte 24 Stunden"],
  week: ["Last 7 days", "Letzte 7 Tage"],
  month: ["Last 30 days", "Letzte 30 Tage"],
  own: ["From … to …", "Von … bis …"],
  since: ["From", "Von"],
  until: ["To", "Bis"],
});

const NAMES = Object.keys(PERIODS) as PeriodName[];

export function PeriodFields({
  value,
  onChange,
}: {
  value: Period;
  onChange(change: Partial<Period>): void;
}): ReactNode {
  const say = useText(words);
  const own = !isPeriod(value.period) && (value.period === OWN || value.since !== "" || value.until !== "");
  return (
    <>
      <FilterSelect
        label={say.period}
        value={own ? OWN : value.period}
        onChange={(period) => onChange({ period, since: "", until: "" })}
        any={say.any}
        choices={[...NAMES.map((each) => [each, say[each]] as const), [OWN, say.own]]}
      />
      {own &&
        (["since", "until"] as const).map((name) => (
          <label key={name} className="filters-day">
            {say[name]}
            <input
              className="input"
              type="datetime-local"
              value={value[name]}
              onChange={(event) => onChange({ period: OWN, [name]: event.target.value })}
            />
          </label>
        ))}
    </>
  );
}
