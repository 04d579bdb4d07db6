import { expect, test } from "vitest";
import { asked, countOf, filtersOf } from "./filters";

test("times are those of the user's clock", () => {
  const filters = filtersOf(
    new URLSearchParams("period=own&since=2026-02-27T00:00&until=2026-03-01T10:30&q= two words "),
  );
  const query = asked(filters);
  expect(query.since).toBe(new Date(2026, 1, 27).toISOString());
  expect(query.until).toBe(new Date(2026, 2, 1, 10, 30).toISOString());
  expect(query.q).toBe("two words");
  expect(countOf(filters)).toBe(2);
});

test("what is not set is not asked for, nor half a date", () => {
  const query = asked(filtersOf(new URLSearchParams("until=2026-02")));
  expect(Object.values(query).filter((value) => value !== "" && value !== null)).toEqual([false]);
});
