import { expect, test } from "vitest";
import { asked, filtersOf } from "./filters";

test("a day is taken whole, by the user's clock", () => {
  const query = asked(filtersOf(new URLSearchParams("since=2026-02-27&until=2026-02-28&q= two words ")));
  expect(query.since).toBe(new Date(2026, 1, 27).toISOString());
  expect(query.until).toBe(new Date(2026, 2, 1).toISOString());
  expect(query.q).toBe("two words");
});

test("what is not set is not asked for, nor half a date", () => {
  const query = asked(filtersOf(new URLSearchParams("until=2026-02")));
  expect(Object.values(query).filter((value) => value !== "" && value !== null)).toEqual([]);
});
