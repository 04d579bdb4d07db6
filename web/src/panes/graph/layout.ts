// The places of nodes in a drawing: the chosen one in the middle, the others on rings around it by their distance.

import type { GraphEdge, GraphPart } from "./api";

export interface Point {
  x: number;
  y: number;
}

export const nodeId = (node: { label: string; key: string }): string => `${node.label}/${node.key}`;
export const fromId = (edge: GraphEdge): string => `${edge.from_label}/${edge.from_key}`;
export const toId = (edge: GraphEdge): string => `${edge.to_label}/${edge.to_key}`;

const RING = 130; // minimum distance between two rings
const ROOM = 64; // for a node on its ring
const CROWD = 30; // ends on one ring; more are placed in several rows, one behind the other
const ROWS = 4; // at most
const ROW = 70; // between two rows

/** Places by node id, around the centre at 0, 0. Unconnected nodes have none. */
export function places(centre: string, edges: readonly GraphEdge[]): Map<string, Point> {
  const near = new Map<string, Set<string>>();
  const join = (one: string, other: string) => near.set(one, (near.get(one) ?? new Set()).add(other));
  for (const edge of edges) {
    join(fromId(edge), toId(edge));
    join(toId(edge), fromId(edge));
  }
  const below = new Map<string, string[]>([[centre, []]]);
  const order = [centre];
  for (const id of order)
    for (const next of near.get(id) ?? [])
      if (!below.has(next)) {
        below.set(next, []);
        below.get(id)!.push(next);
        order.push(next);
      }
  // A node gets the part of the circle that the ends below it need.
  const ends = new Map<string, number>();
  for (const id of [...order].reverse())
    ends.set(
      id,
      Math.max(
        1,
        below.get(id)!.reduce((sum, next) => sum + ends.get(next)!, 0),
      ),
    );
  const all = ends.get(centre)!;
  const rows = Math.min(ROWS, Math.ceil(all / CROWD));
  const ring = Math.max(RING + (rows - 1) * ROW, (all * ROOM) / (2 * Math.PI * rows));
  // There is space between the last and the first, because they may be in the same row.
  const circle = all + rows - 1;
  let number = 0;
  const found = new Map<string, Point>();
  // The first neighbour is at the right, so that two of them share a line of text.
  const first = below.get(centre)![0];
  const turned = first === undefined ? 0 : ends.get(first)! / 2;
  const put = (id: string, depth: number, from: number) => {
    const angle = (2 * Math.PI * (from + ends.get(id)! / 2 - turned)) / circle;
    const away = depth * ring + (number++ % rows) * ROW;
    found.set(id, depth === 0 ? { x: 0, y: 0 } : { x: away * Math.cos(angle), y: away * Math.sin(angle) });
    for (const next of below.get(id)!) {
      put(next, depth + 1, from);
      from += ends.get(next)!;
    }
  };
  put(centre, 0, 0);
  return found;
}

/** Both parts in one, each node and edge once. */
export function joined(one: GraphPart, other: GraphPart): GraphPart {
  const name = (edge: GraphEdge) => JSON.stringify([fromId(edge), edge.type, toId(edge)]);
  return {
    nodes: [...new Map([...one.nodes, ...other.nodes].map((each) => [nodeId(each), each])).values()],
    edges: [...new Map([...one.edges, ...other.edges].map((each) => [name(each), each])).values()],
    truncated: one.truncated || other.truncated,
  };
}
