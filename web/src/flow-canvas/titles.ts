// The titles of nodes, and what they do in short.

import { readable } from "../app/readable";
import type { FlowNode } from "./flow";

/** A short description of what a node does. */
export function summary(node: FlowNode): string {
  const { data, type } = node;
  const text = { question: data.prompt, action: data.run, subgraph: data.ref, terminal: data.say, decision: data.pick }[
    type
  ];
  return typeof text === "string" ? text : "";
}

/** The condition without which a question is passed over; empty for none. */
export const conditionOf = ({ data, type }: FlowNode): string =>
  type === "question" && typeof data.when === "string" ? data.when : "";

/** The titles of nodes by their ids, with the ids of those that have the same title. */
export function titlesOf(nodes: Iterable<FlowNode>): (id: string) => string {
  const titles = new Map([...nodes].map((each) => [each.id, titleOf(each)]));
  const all = [...titles.values()];
  return (id) => {
    const title = titles.get(id) ?? id;
    return all.indexOf(title) === all.lastIndexOf(title) ? title : `${title} (${id})`;
  };
}

export function titleOf({ id, data }: FlowNode): string {
  if (typeof data.label === "string" && data.label) return data.label;
  const title = readable(id);
  return /^\d+$/.test(title) ? id : title; // of `q.1`
}
