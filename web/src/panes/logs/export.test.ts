import { expect, test } from "vitest";
import type { KeptRecord } from "../../api";
import { exported } from "./export";

const record = (value: KeptRecord["value"]): KeptRecord =>
  ({ created: "2026-12-01T08:00:00Z", agent: "rooms", thread: "a1", collection: "bookings", value }) as KeptRecord;

test("records are exported with a column for each field", () => {
  const records = [record({ room: "small, blue", people: 4 }), record({ room: "large", notes: ["late"] })];
  expect(exported(records, "csv").split("\r\n")).toEqual([
    "created,room,people,notes,agent,thread",
    '2026-12-01T08:00:00Z,"small, blue",4,,rooms,a1',
    '2026-12-01T08:00:00Z,large,,"[""late""]",rooms,a1',
  ]);
  expect(JSON.parse(exported(records, "json"))).toEqual(records);
});

test("records that are no objects are in one column", () =>
  expect(exported([record("a")], "csv")).toBe("created,value,agent,thread\r\n2026-12-01T08:00:00Z,a,rooms,a1"));
