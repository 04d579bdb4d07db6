// The answers of a flow where a text, an action or a confirmation takes them.

import { readable } from "../../../app/readable";
import { type Fields, type Flow, type FlowNode, fields } from "../../../flow-canvas/flow";
import { freeId, keyFor, setField } from "./commands";
import { readFlow } from "./flow";
import { ENGLISH, type NewTexts } from "./newTexts";
import { CannotEdit, type Json, type Path, setIn } from "./yamlEdit";

/** The questions of a graph that have a key, without the confirmations, in the order in which they are asked. */
const asked = (flow: Flow, graph: string): FlowNode[] =>
  inOrder(flow, graph).filter(
    (each) => each.type === "question" && typeof each.data.key === "string" && each.data.read !== "confirm",
  );

/** The nodes of a graph from its entry along the edges, and then those that no edge leads to. */
function inOrder(flow: Flow, name: string): FlowNode[] {
  const graph = flow.graphs.get(name);
  if (!graph) return [];
  const order = new Set([graph.entry]);
  for (const id of order) for (const edge of graph.edges) if (edge.from === id) order.add(edge.to);
  const reached = [...order].flatMap((id) => graph.nodes.find((each) => each.id === id) ?? []);
  return [...reached, ...graph.nodes.filter((each) => !order.has(each.id))];
}

const mayBeMissing = ({ data }: FlowNode): boolean => data.required === false || data.when !== undefined;

/** An answer as an expression; a text if there may be none. */
export function expressionOf(node: FlowNode, missing: string): string {
  const name = `answers.${String(node.data.key)}`;
  if (!mayBeMissing(node)) return name;
  const { type, enum: options } = fields(node.data.schema);
  const isText = type === undefined || type === "string" || Array.isArray(options);
  return `has(${name}) ? ${isText ? name : `string(${name})`} : '${missing}'`;
}

/** An answer as an item of a list. */
const listed = (node: FlowNode): string => `- ${readable(String(node.data.key))}: {{ ${expressionOf(node, "-")} }}`;

/** The text of a question that shows an answer, too: where it lists others, in the order in which they are asked. */
export function showing(flow: Flow, question: FlowNode, name: string): string {
  const prompt = String(question.data.prompt ?? "");
  const all = asked(flow, question.graph);
  const node = all.find((each) => `answers.${String(each.data.key)}` === name);
  if (!node || reads(prompt, name)) return prompt;
  const lines = prompt.trimEnd().split("\n");
  const earlier = all.slice(0, all.indexOf(node)).map((each) => `answers.${String(each.data.key)}`);
  const isItem = (line: string) => line.startsWith("- ");
  const last = lines.findLastIndex((line) => isItem(line) && earlier.some((each) => reads(line, each)));
  const at = last >= 0 ? last + 1 : lines.findIndex(isItem);
  if (at < 0) lines.push("", listed(node));
  else lines.splice(at, 0, listed(node));
  return lines.join("\n");
}

const reads = (text: string, name: string): boolean => new RegExp(`${name.replace(".", "\\.")}\\b`).test(text);

/** The insertions for a text of a node: each answer, and a list of all. */
export function answersFor(flow: Flow, node: FlowNode): { name: string; text: string }[] {
  const others = asked(flow, node.graph).filter((each) => each !== node);
  const each = others.map((one) => ({ name: String(one.data.key), text: `{{ ${expressionOf(one, "-")} }}` }));
  const all = `\n${others.map(listed).join("\n")}\n`;
  return each.length > 1 ? [...each, { name: "", text: all }] : each;
}

/** All answers as the value of a record, each under its key. */
export const allAnswers = (flow: Flow, graph: string): Fields =>
  Object.fromEntries(asked(flow, graph).map((each) => [String(each.data.key), `{{ ${expressionOf(each, "")} }}`]));

/** The questions for a yes in the graph of a node. */
export const confirmations = (flow: Flow, node: FlowNode): FlowNode[] =>
  (flow.graphs.get(node.graph)?.nodes ?? []).filter((each) => each.data.read === "confirm");

/** The `confirm` of an action that a yes to this question allows: over the answers, as far as the question shows them. */
export function confirmation(flow: Flow, id: string): Json {
  const question = flow.nodes.get(id);
  const prompt = String(question?.data.prompt ?? "");
  const all = asked(flow, question?.graph ?? "").map((each) => `answers.${String(each.data.key)}`);
  const shown = all.filter((name) => reads(prompt, name));
  return { by: id, over: shown.length > 0 ? shown : all };
}

/** A new question for a yes to all answers so far. */
export function confirming(flow: Flow, graph: string, texts: NewTexts = ENGLISH): Fields {
  const id = freeId(flow, "q.confirm");
  // A title is made from the first line.
  const prompt = [texts.confirm, "", ...asked(flow, graph).map(listed)].join("\n").trim();
  const label: Fields = texts.titles ? { label: texts.titles.confirm } : {};
  return {
    id,
    type: "question",
    ...label,
    key: keyFor(id, true),
    prompt,
    read: "confirm",
    schema: { type: "boolean" },
  };
}

/** A new action that keeps all answers so far. */
export function keeping(flow: Flow, graph: string, texts: NewTexts = ENGLISH): Fields {
  const kept = { collection: "entries", value: allAnswers(flow, graph) };
  const label: Fields = texts.titles ? { label: texts.titles.record } : {};
  return { id: freeId(flow, "a.keep"), type: "action", ...label, run: "record", with: kept };
}

/** Binds an action to the yes of the confirmation that leads to it. */
export function confirmed(text: string, action: string): string {
  const flow = readFlow(text);
  const node = flow?.nodes.get(action);
  if (!flow || !node) throw new CannotEdit(`There is no node ${action}.`);
  const by = confirmations(flow, node).find((each) =>
    [...flow.edges.values()].some((edge) => edge.from === each.id && edge.to === action),
  );
  return by ? setField(text, node.path, "confirm", confirmation(flow, by.id)) : text;
}

/** Lets the templates at a path do without an answer that may not be there. */
export function withoutAnswer(text: string, path: Path, name: string): string {
  const flow = readFlow(text);
  const value = path.reduce<Json | undefined>((now, part) => (now as Fields | undefined)?.[part], flow?.data);
  const key = name.replace(/^answers\./, "");
  const question = [...(flow?.nodes.values() ?? [])].find((each) => each.data.key === key);
  if (!question || typeof value !== "string") return text;
  const allowed = expressionOf({ ...question, data: { ...question.data, required: false } }, "");
  const hole = new RegExp(`\\{\\{\\s*${name.replaceAll(".", "\\.")}\\s*\\}\\}`, "g");
  return setIn(
    text,
    path,
    value.replace(hole, () => `{{ ${allowed} }}`),
  );
}
