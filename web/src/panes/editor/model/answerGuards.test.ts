import { expect, test } from "vitest";
import { answerGuards } from "./answerGuards";
import { readFlow } from "./flow";

const FLOW = `version: v1
id: flow.x
nodes:
  - {id: q.size, type: question, key: size, prompt: Size?, schema: {enum: [small, "it's"]}}
  - {id: q.sure, type: question, key: sure, prompt: Sure?, read: confirm}
  - {id: q.name, type: question, key: name, prompt: Name?}
edges: []
`;

test.each([
  [
    "q.size",
    [
      ["answers.size == 'small'", "small"],
      ["answers.size == 'it\\'s'", "it's"],
    ],
  ],
  [
    "q.sure",
    [
      ["answers.sure == true", true],
      ["answers.sure == false", false],
    ],
  ],
  ["q.name", []],
])("the guards of %s", (id, expected) => {
  expect([...answerGuards(readFlow(FLOW)!.nodes.get(id))]).toEqual(expected);
});
