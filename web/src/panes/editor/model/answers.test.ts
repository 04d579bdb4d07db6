import { describe, expect, it } from "vitest";
import type { Flow } from "../../../flow-canvas/flow";
import { allAnswers, answersFor, confirmed, confirming, withoutAnswer } from "./answers";
import { addNodeAt } from "./commands";
import { readFlow } from "./flow";

const FLOW = `version: v1
id: flow.table
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?}
  - {id: q.guests, type: question, key: guests, prompt: Guests?, schema: {type: integer}, required: false}
  - {id: q.room, type: question, key: room_kind, prompt: Room?, schema: {enum: [inside, terrace]}, when: answers.guests <= 6}
  - {id: keep, type: action, run: record, with: {collection: a, value: {room: "{{ answers.room_kind }}, {{answers.name}}"}}}
edges:
  - {from: q.name, to: q.guests}
  - {from: q.guests, to: q.room}
  - {from: q.room, to: keep}
`;

const flowOf = (text: string): Flow => readFlow(text) as Flow;
const ROOM = "{{ has(answers.room_kind) ? answers.room_kind : '-' }}";

describe("answers", () => {
  it("are inserted so that a missing one does no harm", () => {
    const flow = flowOf(FLOW);
    expect(answersFor(flow, flow.nodes.get("q.name")!)).toEqual([
      { name: "guests", text: "{{ has(answers.guests) ? string(answers.guests) : '-' }}" },
      { name: "room_kind", text: ROOM },
      { name: "", text: expect.stringContaining(`- Room kind: ${ROOM}`) as string },
    ]);
    expect(allAnswers(flow, "")).toEqual({
      name: "{{ answers.name }}",
      guests: "{{ has(answers.guests) ? string(answers.guests) : '' }}",
      room_kind: ROOM.replace("'-'", "''"),
    });
  });

  it("are confirmed as the question shows them", () => {
    const node = confirming(flowOf(FLOW), "");
    expect(node).toMatchObject({ id: "q.confirm", key: "confirm", read: "confirm", schema: { type: "boolean" } });
    const text = addNodeAt(FLOW, { after: "q.room" }, { ...node, prompt: "{{ answers.name }}, {{ answers.guests }}?" });
    const bound = confirmed(text, "keep");
    expect(flowOf(bound).nodes.get("keep")?.data.confirm).toEqual({
      by: "q.confirm",
      over: ["answers.name", "answers.guests"],
    });
    expect(confirmed(FLOW, "keep")).toBe(FLOW);
  });

  it("may be missing where a finding says so", () => {
    const path = ["nodes", 3, "with", "value", "room"];
    expect(withoutAnswer(FLOW, path, "answers.room_kind")).toContain(
      "{{ has(answers.room_kind) ? answers.room_kind : '' }}, {{answers.name}}",
    );
  });
});
