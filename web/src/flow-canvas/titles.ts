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

export const titleOf = (node: FlowNode): string =>
  typeof node.data.label === "string" && node.data.label ? node.data.label : readable(node.id);
