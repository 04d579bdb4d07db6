import { expect, test } from "vitest";
import { grouped, noteOf } from "./listing";

const node = (label: string, key: string, properties = {}) => ({ label, key, properties });

test("a label with many nodes leaves room for the others", () => {
  const guests = Array.from({ length: 40 }, (_, at) => node("Guest", `guest ${at}`));
  const groups = grouped([...guests, node("Event", "fair")]);
  expect(groups.map((each) => each.label)).toEqual(["Event", "Guest"]);
  expect(groups[1]!.nodes.length).toBeLessThan(10);
});

test("a node says where the words were found", () => {
  const ticket = node("Ticket", "T-11", { estimate: 3, summary: "Kiln does not heat", tags: ["urgent", "hall"] });
  expect(noteOf(ticket, "ki")).toEqual({ name: "summary", text: "Kiln does not heat" });
  expect(noteOf(ticket, "hall")).toEqual({ name: "tags", text: "urgent, hall" });
  expect(noteOf(ticket, "t-11")).toEqual({ name: "", text: "Kiln does not heat" });
  expect(noteOf(node("Team", "red", { floor: 0 }), "")).toBeNull();
});
