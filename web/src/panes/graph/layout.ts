// The parts of a graph that were loaded, joined, and what the picture needs of them.

import type { GraphEdge, GraphNode, GraphPart } from "./api";

export const nodeId = (node: { label: string; key: string }): string => `${node.label}/${node.key}`;
export const fromId = (edge: GraphEdge): string => `${edge.from_label}/${edge.from_key}`;
export const toId = (edge: GraphEdge): string => `${edge.to_label}/${edge.to_key}`;
export const edgeId = (edge: GraphEdge): string => JSON.stringify([fromId(edge), edge.type, toId(edge)]);

/** Both parts in one, each node and edge once. */
export function joined(one: GraphPart, other: GraphPart): GraphPart {
  return {
    nodes: [...new Map([...one.nodes, ...other.nodes].map((each) => [nodeId(each), each])).values()],
    edges: [...new Map([...one.edges, ...other.edges].map((each) => [edgeId(each), each])).values()],
    truncated: one.truncated || other.truncated,
  };
}

/** The first nodes of a part, and the edges between them. */
export function firstOf(part: GraphPart, most: number): GraphPart {
  if (part.nodes.length <= most) return part;
  const nodes = part.nodes.slice(0, most);
  const there = new Set(nodes.map(nodeId));
  return {
    nodes,
    edges: part.edges.filter((edge) => there.has(fromId(edge)) && there.has(toId(edge))),
    truncated: true,
  };
}

/** A part without the nodes of some labels. */
export function withoutLabels(part: GraphPart, labels: ReadonlySet<string>): GraphPart {
  if (labels.size === 0) return part;
  return {
    ...part,
    nodes: part.nodes.filter((each) => !labels.has(each.label)),
    edges: part.edges.filter((each) => !labels.has(each.from_label) && !labels.has(each.to_label)),
  };
}

/** The first nodes of each label, and the edges between them. */
export function firstOfLabels(part: GraphPart, most: number): GraphPart {
  const counts = new Map<string, number>();
  const nodes = part.nodes.filter(({ label }) => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    return counts.get(label)! <= most;
  });
  if (nodes.length === part.nodes.length) return part;
  return { ...firstOf({ ...part, nodes: [...nodes, ...part.nodes] }, nodes.length), truncated: true };
}

/** The caption of a node in the picture: its name or title, otherwise its key. */
export function captionOf({ key, properties }: GraphNode): string {
  const found = [properties.name, properties.title].find((each) => typeof each === "string" && each.trim() !== "");
  return typeof found === "string" ? found : key;
}

export const COLOURS = 8;

/** A number of a colour for each label, the same whatever else is shown while there are few labels. */
export function coloursOf(labels: readonly string[]): Map<string, number> {
  const used = new Set<number>();
  const found = new Map<string, number>();
  for (const label of [...new Set(labels)].sort()) {
    let colour = [...label].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % COLOURS;
    while (used.has(colour) && used.size < COLOURS) colour = (colour + 1) % COLOURS;
    used.add(colour);
    found.set(label, colour + 1);
  }
  return found;
}

/** The number of edges of each node. */
export function degreesOf(part: GraphPart): Map<string, number> {
  const degrees = new Map<string, number>();
  for (const edge of part.edges)
    for (const end of new Set([fromId(edge), toId(edge)])) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  return degrees;
}

const [SMALLEST, LARGEST] = [24, 64]; // px

/** The diameter of a node with so many edges: its area grows with their number. */
export const sizeOf = (degree: number): number => Math.round(Math.min(LARGEST, SMALLEST + 4 * Math.sqrt(degree)));

/** How many there are of each name, the most first. */
export function countsOf(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]);
}
