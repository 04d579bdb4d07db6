import { expect, test } from "vitest";
import { readFlow } from "./flow";
import { renameChannel } from "./renameChannel";

const FLOW = `version: v1
id: flow.shop
language: spoken
state:
  price: {type: number, default: 0} # euros
  spoken: {type: string, default: en}
  prices: {type: array, default: []}
predicates: {dear: price > 10.0 && answers.price != "price"}
nodes:
  - {id: q.size, type: question, key: price, options: prices, prompt: "price {{ price + prices[0] }}?", when: has(price)}
  - {id: keep, type: action, run: record, with: {value: {price: "{{ price }}"}}, confirm: {by: q.sure, over: [price, answers.price]}}
  - {id: ask, type: action, run: ask_model, with: {instruction: "{{ price }}", into: price}}
  - {id: each, type: action, run: rate, map: {over: prices, as: price, into: prices}}
  - {id: done, type: terminal, say: "{{ size(prices) > 1 ? 'price' : price }}"}
edges:
  - {from: q.size, to: keep, guard: price == 1.0}
assurances:
  - {never: keep, unless: price > 0.0}
`;

test("a channel is renamed in everything that names it, and nowhere else", () => {
  const expected = FLOW.replace("price: {type: number, default: 0}", "cost: {type: number, default: 0, was: price}")
    .replace("dear: price > 10.0", "dear: cost > 10.0")
    .replace("{{ price + prices", "{{ cost + prices")
    .replace("has(price)", "has(cost)")
    .replace('{price: "{{ price }}"}', '{price: "{{ cost }}"}')
    .replace("over: [price,", "over: [cost,")
    .replace('"{{ price }}", into: price', '"{{ cost }}", into: cost')
    .replace(", as: price", ", as: cost")
    .replace("'price' : price }}", "'price' : cost }}")
    .replace("guard: price", "guard: cost")
    .replace("unless: price", "unless: cost");
  expect(renameChannel(FLOW, "price", "cost", readFlow(FLOW))).toBe(expected);
  expect(renameChannel(FLOW, "price", "cost")).toBe(expected.replace(", was: price", ""));
});

test("options, language and several earlier names", () => {
  expect(renameChannel(FLOW, "prices", "offers")).toContain("options: offers");
  expect(renameChannel(FLOW, "spoken", "tongue")).toContain("language: tongue");
  const once = renameChannel(FLOW, "price", "cost", readFlow(FLOW));
  expect(renameChannel(once, "cost", "sum", readFlow(once))).toMatch(/was: \[ ?price, cost ?\]/);
  expect(renameChannel(once, "cost", "price", readFlow(FLOW))).toBe(FLOW);
});

test.each([["prices"], ["two words"], [""]])("the name %o is refused", (to) => {
  expect(() => renameChannel(FLOW, "price", to)).toThrow(/channel/);
});
