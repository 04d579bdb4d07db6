// A range of time that limits a list: the last hours or days, or from one time to another.

export const PERIODS = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const; // seconds

export type PeriodName = keyof typeof PERIODS;

/** As it is in the address: `since` and `until` are times of the user's clock such as `2026-11-24T10:30`. */
export interface Period {
  period: string;
  since: string;
  until: string;
}

/** The choice "from ... to ...". */
export const OWN = "own";

export const isPeriod = (name: string): name is PeriodName => Object.hasOwn(PERIODS, name);

/** The times as the service reads them; empty for none. */
export function timesOf({ period, since, until }: Period, now = Date.now()): { since: string; until: string } {
  if (isPeriod(period)) return { since: new Date(now - PERIODS[period] * 1000).toISOString(), until: "" };
  return { since: isoOf(since), until: isoOf(until) };
}

const INPUT_TIME = /^\d{4,}-\d\d-\d\dT\d\d:\d\d$/;

const isoOf = (time: string): string => {
  const date = new Date(INPUT_TIME.test(time) ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
};

/** A range of time in whole minutes, which inputs show; its end is excluded. */
export const periodOf = (since: Date, until: Date): Period => ({
  period: OWN,
  since: inputTime(since),
  until: inputTime(new Date(until.getTime() + 59_999)),
});

/** A time as an input shows it, to the minute, on the user's clock. */
export function inputTime(date: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
