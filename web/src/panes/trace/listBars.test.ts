import { expect, test } from "vitest";
import { barsOf } from "./listBars";

test("every conversation is in one of few bars, those that failed apart", () => {
  const of = (updated: string, status: "ended" | "failed" = "ended") => ({ updated, status });
  const { bars, seconds } = barsOf([of("2026-11-24T10:00:01Z"), of("2026-11-24T10:04:59Z", "failed")]);
  expect(seconds).toBe(15);
  expect(bars.length).toBe(20);
  expect([bars[0], bars[19]].map((each) => [each!.count, each!.failed])).toEqual([
    [1, 0],
    [1, 1],
  ]);
  expect(barsOf([of("2001-01-01T00:00:00Z"), of("2026-11-24T00:00:00Z")]).bars.length).toBeLessThan(51);
  expect(barsOf([]).bars).toEqual([]);
});
