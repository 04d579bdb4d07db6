// The list of nodes: the groups of the whole graph, and the text below the name of a node.

import type { GraphNode } from "./api";

const LISTED = 100; // nodes in the list
const OF_LABEL = 6; // nodes of a label in the list of the whole graph

export interface Listed {
  label: string;
  nodes: readonly GraphNode[];
}

/** The nodes of the whole graph by label, the first ones of each, so that many of one do not hide the others. */
export function grouped(nodes: readonly GraphNode[]): Listed[] {
  const labels = [...new Set(nodes.map((each) => each.label))].sort();
  return labels.map((label) => ({ label, nodes: nodes.filter((each) => each.label === label).slice(0, OF_LABEL) }));
}

/** The found nodes, in their order. */
export const firstFound = (nodes: readonly GraphNode[]): GraphNode[] => nodes.slice(0, LISTED);

export interface Note {
  /** The property; empty if its value speaks for itself. */
  name: string;
  text: string;
}

/**
 * The text below the name of a node: the property in which the words were found if its name does not have them,
 * otherwise its first text. Null without any.
 */
export function noteOf({ key, properties }: GraphNode, words: string): Note | null {
  const texts = Object.entries(properties).map(([name, value]) => ({ name, text: [value].flat().join(", "), value }));
  const wanted = words.toLowerCase();
  const isFound = wanted !== "" && !key.toLowerCase().includes(wanted);
  const found = isFound && texts.find((each) => each.text.toLowerCase().includes(wanted));
  if (found) return { name: found.name, text: found.text };
  const first = texts.find(({ value, text }) => typeof value === "string" && text !== "" && text !== key);
  return first ? { name: "", text: first.text } : null;
}
