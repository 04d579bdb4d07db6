// The places of the nodes of a graph, by simulated forces; nodes whose place is known stay there.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

export interface Point {
  x: number;
  y: number;
}

export interface Question {
  nodes: readonly string[];
  edges: readonly (readonly [from: string, to: string])[];
  known: Readonly<Record<string, Point>>;
}

export type Places = Record<string, Point>;

const TICKS = 260;
const LINK = 130; // px between connected nodes
const ROOM = 52; // px around a node with its name

interface Body extends Point {
  id: string;
  fx?: number;
  fy?: number;
}

/** The place of each node. The same question always has the same answer. */
export function placesOf({ nodes, edges, known }: Question): Places {
  const near = new Map<string, string>();
  for (const [from, to] of edges) {
    if (known[to] && !near.has(from)) near.set(from, to);
    if (known[from] && !near.has(to)) near.set(to, from);
  }
  const bodies = nodes.map((id, at): Body => {
    const place = known[id];
    if (place) return { id, ...place, fx: place.x, fy: place.y };
    // New nodes begin on a spiral, around a neighbour whose place is known.
    const centre = known[near.get(id) ?? ""] ?? { x: 0, y: 0 };
    const [radius, angle] = [LINK * 0.4 * Math.sqrt(at + 1), at * 2.399963];
    return { id, x: centre.x + radius * Math.cos(angle), y: centre.y + radius * Math.sin(angle) };
  });
  const degree = new Map<string, number>();
  for (const pair of edges) for (const id of pair) degree.set(id, (degree.get(id) ?? 0) + 1);
  const links = edges.filter(([from, to]) => from !== to).map(([source, target]) => ({ source, target }));
  // A hub keeps its many neighbours at a distance at which their names have room.
  const length = (of: { source: unknown; target: unknown }) => {
    const least = Math.max(degree.get((of.source as Body).id) ?? 1, degree.get((of.target as Body).id) ?? 1);
    return LINK + 4 * Math.sqrt(least) * Math.min(20, Math.sqrt(least));
  };
  forceSimulation(bodies)
    .force(
      "link",
      forceLink<Body, (typeof links)[number]>(links)
        .id((body) => body.id)
        .distance(length)
        .strength(0.4),
    )
    .force("charge", forceManyBody().strength(-420).distanceMax(1500))
    .force("collide", forceCollide(ROOM).iterations(2))
    .force("x", forceX(0).strength(0.03))
    .force("y", forceY(0).strength(0.045))
    .stop()
    .tick(TICKS);
  return Object.fromEntries(bodies.map(({ id, x, y }) => [id, { x: Math.round(x), y: Math.round(y) }]));
}
