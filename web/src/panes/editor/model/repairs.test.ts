import { expect, test } from "vitest";
import type { Finding } from "../api";
import { readFlow } from "./flow";
import { ENGLISH } from "./newTexts";
import { repairOf } from "./repairs";

const FLOW = `version: v1
id: flow.x
nodes:
  - {id: q.n, type: question, key: n, prompt: "{answers.n}", schema: {enum: [small, large]}}
  - {id: q.sure, type: question, key: sure, prompt: "Sure?", read: confirm, schema: {type: boolean}}
  - {id: a.keep, type: action, run: record, confirm: {by: q.sure, over: [answers.sure]}, with: {collection: c, value: {}}}
  - {id: a.other, type: action, run: choose_an_action}
  - {id: t.end, type: terminal, say: Bye}
edges:
  - {from: q.n, to: q.sure, guard: answers.n = small && 'a=b' == 'a=b'}
  - {from: q.sure, to: a.keep}
  - {from: a.keep, to: t.end}
`;

function repaired(code: string, pointer: string, message: string, hint = "", text = FLOW): string {
  const finding = { code, pointer, message, hint, fix: null } as unknown as Finding;
  const repair = repairOf(readFlow(text)!, finding, ENGLISH);
  expect(repair).not.toBeNull();
  return repair!.command(text);
}

test.each([
  ["GW120", "/nodes/3/run", "The action `choose_an_action`", "", "run: record, with: {collection: entries"],
  ["GW125", "/nodes/0/key", "`key`: `n`", "Use: `number_of`", "key: number_of,"],
  ["GW201", "/nodes/0/id", "The id `q.n`", "", "id: q.n.2,"],
  ["GW212", "/nodes/2/id", "No edge leaves `a.keep`", "", "- {from: a.keep, to: a.other}"],
  ["GW219", "/nodes/0/id", "No edge of `q.n` opens", "", "- {from: q.n, to: end.1, guard: else}"],
  ["GW301", "/edges/0/guard", "`=` is not part", "", "guard: answers.n == small && 'a=b' == 'a=b'"],
  ["GW302", "/edges/0/guard", "There is no channel `small`", "", "guard: answers.n = 'small' && 'a=b' == 'a=b'"],
  ["GW312", "/nodes/0/prompt", "`{answers.n}` is", "Write `{{ answers.n }}`", 'prompt: "{{ answers.n }}"'],
  ["GW401", "/nodes/0/key", "both ask for `n`", "", "key: n_2,"],
  ["GW423", "/nodes/0/key", "The answer `n`", "", 'n: "{{ answers.n }}"'],
  [
    "GW512",
    "/nodes/2/confirm/over",
    "`a.keep` reads `answers.n`, which `q.sure`",
    "",
    "over: [answers.sure, answers.n]",
  ],
  ["GW523", "/edges/1", "A no to `q.sure`", "", "- {from: q.sure, to: end.1, guard: else}"],
  ["GW225", "/edges/1", "`q.sure` has its answer", "", "schema: {type: boolean}, ask: always"],
])("%s is solved by one change", (code, pointer, message, hint, expected) => {
  expect(repaired(code, pointer, message, hint)).toContain(expected);
});

const BOOKING = `version: v1
id: flow.x
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?}
  - id: q.sure
    type: question
    key: sure
    read: confirm
    prompt: |
      Is this right?

      - Name: {{ answers.name }}
      - Guests: {{ answers.guests }}
  - {id: a.keep, type: action, run: record, confirm: {by: q.sure, over: [answers.name, answers.guests]}, with: {collection: c, value: {name: "{{ answers.name }}", guests: "{{ answers.guests }}", day: "{{ answers.day }}"}}}
  - {id: t.end, type: terminal, say: "Bye {{ answers.name }}{{ has(answers.guests) ? '!' : '' }}"}
  - {id: q.day, type: question, key: day, prompt: Day?}
edges:
  - {from: q.name, to: q.day}
  - {from: q.day, to: q.sure}
  - {from: q.sure, to: a.keep}
  - {from: a.keep, to: t.end}
`;

test("what the yes shall cover is shown by its question, in the order of the questions", () => {
  const message = "`a.keep` reads `answers.day`, which the yes to `q.sure` does not cover.";
  const done = repaired("GW512", "/nodes/2/confirm/over", message, "", BOOKING);
  expect(done).toContain("over: [answers.name, answers.guests, answers.day]");
  expect(done).toContain("- Name: {{ answers.name }}\n      - Day: {{ answers.day }}\n      - Guests");
});

test.each([
  ["GW302", "/nodes/3/say", "There is no answer `guests`."],
  ["GW507", "/nodes/2/confirm/over/1", "`a.keep` is confirmed over `answers.guests`, which the flow does not declare."],
])("%s: the answer to a deleted question is taken out of everything that shows it", (code, pointer, message) => {
  const done = repaired(code, pointer, message, "", BOOKING);
  expect(done).not.toContain("guests");
  expect(done).toContain("over: [answers.name]}");
  expect(done).toContain('value: {name: "{{ answers.name }}", day: "{{ answers.day }}"}');
  expect(done).toContain('say: "Bye {{ answers.name }}"');
  expect(done).toContain("      - Name: {{ answers.name }}\n  - {id: a.keep");
});

test("an action whose failure reads like success fails visibly", () => {
  const failing = FLOW.replace("run: record,", "run: record, on_error: t.end,");
  expect(repaired("GW530", "/nodes/2/on_error", "After a failure of `a.keep`", "", failing)).toBe(FLOW);
});

test("a new end after a no does not thank", () => {
  expect(repaired("GW523", "/edges/1", "A no to `q.sure`")).toContain('say: "All right, nothing was done."');
});

test("what nothing leads to, and what is never taken, can be deleted", () => {
  expect(repaired("GW210", "/nodes/3/id", "No way leads to `a.other`")).not.toContain("a.other");
  expect(repaired("GW215", "/edges/1", "`q.sure` has more than one edge")).not.toContain("from: q.sure");
});
