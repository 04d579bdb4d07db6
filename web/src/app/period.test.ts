import { expect, test } from "vitest";
import { inputTime, periodOf, timesOf } from "./period";

const of = (period: string, since = "", until = "") => timesOf({ period, since, until }, Date.UTC(2026, 10, 24, 12));

test("a period is the time up to now, or from one time of the user's clock to another", () => {
  expect(of("hour")).toEqual({ since: "2026-11-24T11:00:00.000Z", until: "" });
  expect(of("", "", "")).toEqual({ since: "", until: "" });
  expect(of("own", "half past", "constructor")).toEqual({ since: "", until: "" });
  expect(of("toString")).toEqual({ since: "", until: "" });
  const { since, until } = of("own", "2026-11-01T10:30", "2026-11-02T00:00");
  expect([since, until].map((each) => inputTime(new Date(each)))).toEqual(["2026-11-01T10:30", "2026-11-02T00:00"]);
  expect(periodOf(new Date(2026, 10, 1, 10, 30, 5), new Date(2026, 10, 1, 10, 31, 5))).toEqual({
    period: "own",
    since: "2026-11-01T10:30",
    until: "2026-11-01T10:32",
  });
});
