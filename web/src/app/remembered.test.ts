import { expect, test } from "vitest";
import { remembered } from "./remembered";

test("an answer is asked for once in a short time, and again after a failure", async () => {
  let calls = 0;
  let time = 0;
  const load = remembered(
    async () => {
      calls += 1;
      if (calls === 1) throw new Error("not there");
      return calls;
    },
    () => time,
  );
  await expect(load()).rejects.toThrow();
  expect([await load(), await load()]).toEqual([2, 2]);
  time = 20_000;
  expect(await load()).toBe(3);
});
