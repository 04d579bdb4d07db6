import { expect, test } from "vitest";
import { worded } from "./exactWords";

test("answers have the labels of their questions, and options their titles", () => {
  const options = [
    { const: "small", title: "The small room" },
    { const: "hall", title: "The hall" },
  ];
  const { value, nameOf } = worded(
    { "answers.room": "small", "answers.extra.rooms": ["hall", "other"], "answers.people": 4, total: 12 },
    {
      nodes: [
        { id: "q.room", key: "room", label: "Your room", schema: { oneOf: options } },
        { id: "q.people", key: "people", schema: { type: "integer" } },
      ],
      subgraphs: { extra: { nodes: [{ id: "q.rooms", key: "rooms", schema: { items: { oneOf: options } } }] } },
    },
  );
  expect(Object.entries(value).map(([name, each]) => [nameOf(name), each])).toEqual([
    ["Your room", "The small room"],
    ["Extra rooms", ["The hall", "other"]],
    ["People", 4],
    ["Total", 12],
  ]);
});
