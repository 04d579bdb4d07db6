import { describe, expect, it } from "vitest";
import { renameAnswer } from "./renameAnswer";

const FLOW = `version: v1
id: flow.shop
state:
  offer: {type: string, default: answers.size}
nodes:
  - {id: q.size, type: question, key: size, prompt: "Which size, not answers.size?", validate: "value != 'answers.size'"}
  - id: q.sure   # a comment
    type: question
    key: sure
    prompt: "{{ answers.size }} of {{ answers.sizes }}, {{ has(answers.size) ? answers.size : 'answers.size' }}?"
    when: answers.size != "x" && size(answers.size) > 2
  - {id: keep, type: action, run: record, with: {value: {size: "{{ answers.size }}"}}, confirm: {by: q.sure, over: [answers.size, offer]}}
  - {id: done, type: terminal, say: "{{ answers.led.size }} and {{ answers.other.size }}"}
  - {id: led, type: subgraph, ref: sub, as: led}
edges:
  - {from: q.size, to: q.sure, guard: "answers.size in ['a'] || large"}
predicates: {large: "answers.size == 'large'"}
constraints:
  - {one_of: [[size], [led.size], [sizes]]}
assurances:
  - {never: keep, unless: "answers.size == 'a'"}
`;

describe("another key", () => {
  it("is given in everything that reads the answer, and nowhere else", () => {
    const text = renameAnswer(FLOW, "q.size", "width");
    const expected = FLOW.replace("key: size", "key: width")
      .replace("{{ answers.size }} of", "{{ answers.width }} of")
      .replace("has(answers.size) ? answers.size :", "has(answers.width) ? answers.width :")
      .replace('answers.size != "x" && size(answers.size)', 'answers.width != "x" && size(answers.width)')
      .replace('size: "{{ answers.size }}"', 'size: "{{ answers.width }}"')
      .replace("over: [answers.size", "over: [answers.width")
      .replace("answers.led.size", "answers.led.width")
      .replace("answers.size in", "answers.width in")
      .replace("answers.size == 'large'", "answers.width == 'large'")
      .replace("[[size], [led.size]", "[[width], [led.width]")
      .replace("answers.size == 'a'", "answers.width == 'a'");
    expect(text).toBe(expected);
    expect(renameAnswer(text, "q.size", "size")).toBe(FLOW);
  });

  it("changes only the question if another one has it, or if it cannot be read", () => {
    for (const name of ["sure", "led", "two words", "a.b"])
      expect(renameAnswer(FLOW, "q.size", name).replace(/key: "?[\w. ]+"?/, "key: size")).toBe(FLOW);
  });
});
