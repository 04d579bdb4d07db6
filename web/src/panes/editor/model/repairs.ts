// The commands that solve findings of the compiler where only one change suggests itself.

import { type Fields, type Flow, type FlowEdge, type FlowNode, fields } from "../../../flow-canvas/flow";
import { escapesIn, jumpsIn } from "../../../flow-canvas/jumps";
import { titleOf } from "../../../flow-canvas/titles";
import type { Finding } from "../api";
import { allAnswers, confirmed, expressionOf, showing, withoutAnswer } from "./answers";
import { addNode, blank, connect, freeId, keyFor, removeEdges, removeNodes, setField } from "./commands";
import { ofPointer, readFlow } from "./flow";
import type { NewTexts } from "./newTexts";
import { removeAnswer } from "./removeAnswer";
import { renameAnswer } from "./renameAnswer";
import { type Json, type Path, setIn } from "./yamlEdit";

export interface Repair {
  /** The name of its title, and the name in that title. */
  title:
    | "bindYes"
    | "allowNone"
    | "addEnd"
    | "connectWith"
    | "deleteNode"
    | "deleteEdge"
    | "endOnNo"
    | "elseToEnd"
    | "keepIn"
    | "coverBy"
    | "useId"
    | "useKey"
    | "askAgain"
    | "doubleBraces"
    | "equals"
    | "quoted"
    | "removeUse"
    | "keepAnswers"
    | "failVisibly";
  name?: string;
  command(text: string): string;
}

interface Case {
  flow: Flow;
  finding: Finding;
  texts: NewTexts;
  /** The names between backticks in the message, and in the hint. */
  names: string[];
  hinted: string[];
  /** The place below the node or the edge, such as `["with", "value"]`. */
  rest: Path;
}

type OfNode = (node: FlowNode, found: Case) => Repair | null;
type OfEdge = (edge: FlowEdge, found: Case) => Repair | null;

/** Adds an end after a node, by an edge that is open where no other is. */
const toEnd = (text: string, node: FlowNode, texts: NewTexts): string => {
  const end = blank(readFlow(text)!, "terminal", texts);
  return connect(addNode(text, node.graph, end), node.graph, node.id, String(end.id));
};

/** The one node of a graph to which nothing leads yet, besides a node itself. */
function lonely(flow: Flow, node: FlowNode): FlowNode | null {
  const graph = flow.graphs.get(node.graph);
  if (!graph) return null;
  const reached = new Set([graph.entry, node.id, ...escapesIn(flow).keys()]);
  for (const { to } of [...graph.edges, ...jumpsIn(graph)]) reached.add(to);
  const [first, ...others] = graph.nodes.filter((each) => !reached.has(each.id));
  return first && others.length === 0 ? first : null;
}

const noWayOut: OfNode = (node, { flow, texts }) => {
  const next = lonely(flow, node);
  if (!next) return { title: "addEnd", command: (text) => toEnd(text, node, texts) };
  const command = (text: string) => connect(text, node.graph, node.id, next.id);
  return { title: "connectWith", name: titleOf(next), command };
};

const deleteNode: OfNode = (node) => ({
  title: "deleteNode",
  name: titleOf(node),
  command: (text) => removeNodes(text, [node.id]),
});

const deleteEdge: OfEdge = (edge) => ({ title: "deleteEdge", command: (text) => removeEdges(text, [edge.key]) });

/** A no leads elsewhere than a yes: to a new end, or along the other edge. */
const endOnNo: OfEdge = (edge, { flow, texts }) => {
  const question = flow.nodes.get(edge.from);
  const { key } = question?.data ?? {};
  if (!question || typeof key !== "string") return null;
  const others = [...flow.edges.values()].filter((each) => each.from === edge.from && each.key !== edge.key);
  const command = (text: string) => {
    const guarded = setField(text, edge.path, "guard", `answers.${key} == true`);
    const [other] = others;
    if (!other) return toEnd(guarded, question, { ...texts, end: texts.left });
    return other.data.guard === undefined ? setField(guarded, other.path, "guard", "else") : guarded;
  };
  return { title: "endOnNo", command };
};

/** Keeps an answer in the only record of its graph. */
const keepIn: OfNode = (node, { flow }) => {
  const records = [...flow.nodes.values()].filter((each) => each.data.run === "record" && each.graph === node.graph);
  const [record, ...others] = records;
  const value = fields(record?.data.with).value;
  const { key } = node.data;
  if (!record || others.length > 0 || typeof key !== "string" || value === null || typeof value !== "object")
    return null;
  if (Array.isArray(value) || node.data.read === "confirm") return null;
  const command = (text: string) =>
    setIn(text, [...record.path, "with", "value", key], `{{ ${expressionOf(node, "")} }}`);
  return { title: "keepIn", name: titleOf(record), command };
};

/** The yes covers what the action reads, and the question shows it. */
const coverBy: OfNode = (node, { flow, names }) => {
  const confirm = fields(node.data.confirm);
  const over = Array.isArray(confirm.over) ? confirm.over : [];
  const lacking = names.slice(1, -1).filter((name) => !over.includes(name));
  if (lacking.length === 0) return null;
  const question = flow.nodes.get(String(confirm.by));
  const command = (text: string) => {
    const covered = setIn(text, [...node.path, "confirm", "over"], [...over, ...lacking]);
    return question ? lacking.reduce((now, name) => shownBy(now, question.id, name), covered) : covered;
  };
  return { title: "coverBy", command };
};

function shownBy(text: string, id: string, name: string): string {
  const flow = readFlow(text);
  const question = flow?.nodes.get(id);
  if (!flow || !question) return text;
  const prompt = showing(flow, question, name);
  return prompt === question.data.prompt ? text : setIn(text, [...question.path, "prompt"], prompt);
}

/** An answer that no question asks for: its question was deleted. */
const removeUse: OfNode = (_, { flow, finding, names, rest }) => {
  const name = names.at(-1)?.replace(/^answers\./, "") ?? "";
  const isAsked = [...flow.nodes.values()].some((each) => each.data.key === name || each.data.as === name);
  if (isAsked || finding.fix || !/^[A-Za-z_]\w*$/.test(name)) return null;
  if (!["prompt", "invalid_prompt", "say", "with", "confirm"].includes(String(rest[0]))) return null;
  return { title: "removeUse", name, command: (text) => removeAnswer(text, name) };
};

const otherId: OfNode = (node, { flow }) => {
  const free = freeId(flow, node.id);
  return { title: "useId", name: free, command: (text) => setIn(text, [...node.path, "id"], free) };
};

const otherKey: OfNode = (node, { flow }) => {
  const taken = new Set([...flow.nodes.values()].map((each) => each.data.key));
  let key = keyFor(node.id, true);
  for (let number = 2; taken.has(key); number += 1) key = `${keyFor(node.id, true)}_${number}`;
  return { title: "useKey", name: key, command: (text) => setIn(text, [...node.path, "key"], key) };
};

/** Takes the key that the compiler suggests. */
const suggestedKey: OfNode = (node, { hinted, rest }) => {
  const key = hinted.at(-1);
  if (rest[0] !== "key" || !key) return null;
  return { title: "useKey", name: key, command: (text) => renameAnswer(text, node.id, key) };
};

const askAgain: OfEdge = (_, { flow, names }) => {
  const node = flow.nodes.get(names[0] ?? "");
  if (node?.type !== "question") return null;
  return { title: "askAgain", name: titleOf(node), command: (text) => setField(text, node.path, "ask", "always") };
};

const keepAnswers: OfNode = (node, { flow }) => {
  if (node.data.run !== "choose_an_action") return null;
  const kept: Fields = { collection: "entries", value: allAnswers(flow, node.graph) };
  const command = (text: string) => setField(setField(text, node.path, "run", "record"), node.path, "with", kept);
  return { title: "keepAnswers", command };
};

const allowNone: OfNode = (node, { names, rest }) => {
  const [name = ""] = names;
  if (!name.startsWith("answers.") || !["prompt", "invalid_prompt", "say", "with"].includes(String(rest[0])))
    return null;
  return { title: "allowNone", command: (text) => withoutAnswer(text, [...node.path, ...rest], name) };
};

/** The text at a path, changed. */
const changed = (text: string, path: Path, change: (value: string) => string): string => {
  const value = path.reduce<Json | undefined>((now, part) => (now as Fields | undefined)?.[part], readFlow(text)?.data);
  return typeof value === "string" ? setIn(text, path, change(value)) : text;
};

type Anywhere = (path: Path, found: Case) => Repair | null;

const doubleBraces: Anywhere = (path, { names, hinted }) => {
  const [written = ""] = names;
  const [right = ""] = hinted;
  if (!written || !right) return null;
  return { title: "doubleBraces", command: (text) => changed(text, path, (value) => value.split(written).join(right)) };
};

/** `=` outside of texts in quotes. */
const SINGLE = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<![=!<>])=(?!=)/g;

const equals: Anywhere = (path, { names }) =>
  names[0] !== "="
    ? null
    : {
        title: "equals",
        command: (text) =>
          changed(text, path, (value) => value.replace(SINGLE, (_, quoted?: string) => quoted ?? "==")),
      };

/** A name that is an option of a question is meant as a text. */
const quoted: Anywhere = (path, { flow, names, finding }) => {
  const name = names[0] ?? "";
  const isOption = [...flow.nodes.values()].some(({ data }) => {
    const options = fields(data.schema).enum;
    return Array.isArray(options) && options.includes(name);
  });
  if (!isOption || finding.fix || !/^\w+$/.test(name)) return null;
  const bare = new RegExp(String.raw`("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<![\w.])${name}\b`, "g");
  const command = (text: string) =>
    changed(text, path, (value) => value.replace(bare, (_, inQuotes?: string) => inQuotes ?? `'${name}'`));
  return { title: "quoted", name: `'${name}'`, command };
};

const OF_NODES: Readonly<Record<string, OfNode>> = {
  GW120: keepAnswers,
  GW125: suggestedKey,
  GW126: suggestedKey,
  GW201: otherId,
  GW210: deleteNode,
  GW212: noWayOut,
  GW219: (node, { texts }) => ({ title: "elseToEnd", command: (text) => toEnd(text, node, texts) }),
  GW302: removeUse,
  GW401: otherKey,
  GW402: keepIn,
  GW408: allowNone,
  GW423: keepIn,
  GW501: keepAnswers,
  GW507: removeUse,
  GW512: coverBy,
  GW519: (node) => ({ title: "bindYes", command: (text) => confirmed(text, node.id) }),
  GW530: (node) => ({ title: "failVisibly", command: (text) => setField(text, node.path, "on_error", undefined) }),
};

const OF_EDGES: Readonly<Record<string, OfEdge>> = {
  GW214: deleteEdge,
  GW215: deleteEdge,
  GW218: deleteEdge,
  GW221: deleteEdge,
  GW222: deleteEdge,
  GW225: askAgain,
  GW523: endOnNo,
};

const ANYWHERE: Readonly<Record<string, Anywhere>> = { GW301: equals, GW302: quoted, GW312: doubleBraces };

const between = (text: string): string[] => text.split("`").filter((_, index) => index % 2 === 1);

/** The change that solves a finding; null if there is none, or more than one. */
export function repairOf(flow: Flow, finding: Finding, texts: NewTexts): Repair | null {
  const { code, pointer, message, hint } = finding;
  const place = ofPointer(flow, pointer);
  if (!place) return null;
  const rest = pointer
    .split("/")
    .slice(1 + place.path.length)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found: Case = { flow, finding, texts, names: between(message), hinted: between(hint), rest };
  const anywhere = ANYWHERE[code]?.([...place.path, ...rest], found);
  if (anywhere) return anywhere;
  return "id" in place ? (OF_NODES[code]?.(place, found) ?? null) : (OF_EDGES[code]?.(place, found) ?? null);
}
