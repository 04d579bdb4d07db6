// The places of the nodes of a graph, by simulated forces; nodes whose place is known stay there. Parts that no edge
// connects are placed side by side, so that no edge of one crosses another.

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
export function placesOf(question: Question): Places {
  if (Object.keys(question.known).length > 0) return simulated(question);
  const parts = partsOf(question);
  const alone = parts.flatMap((part) => (part.nodes.length === 1 ? part.nodes : []));
  const placed = parts.filter((part) => part.nodes.length > 1).map(simulated);
  return sideBySide(alone.length > 0 ? [...placed, inRows(alone)] : placed);
}

/** The parts of a question that no edge connects. */
function partsOf({ nodes, edges, known }: Question): Question[] {
  const roots = new Map(nodes.map((id) => [id, id]));
  const rootOf = (id: string): string => {
    let root = id;
    while (roots.get(root)! !== root) root = roots.get(root)!;
    roots.set(id, root);
    return root;
  };
  for (const [from, to] of edges) roots.set(rootOf(from), rootOf(to));
  const parts = new Map<string, { nodes: string[]; edges: Question["edges"][number][]; known: Places }>();
  for (const id of nodes) {
    const root = rootOf(id);
    const part = parts.get(root) ?? { nodes: [], edges: [], known };
    part.nodes.push(id);
    parts.set(root, part);
  }
  for (const edge of edges) parts.get(rootOf(edge[0]))?.edges.push(edge);
  return [...parts.values()];
}

const [COLUMN, ROW] = [150, 90]; // px between nodes without edges, with their names

/** Nodes without edges, in rows. */
function inRows(nodes: readonly string[]): Places {
  const columns = Math.ceil(Math.sqrt(nodes.length));
  const placeOf = (at: number) => ({ x: (at % columns) * COLUMN, y: Math.floor(at / columns) * ROW });
  return Object.fromEntries(nodes.map((id, at) => [id, placeOf(at)]));
}

const GAP = 100; // px between parts
const SHAPE = 1.6; // of the whole: its width by its height

/** The parts next to each other in rows, the highest first. */
function sideBySide(parts: readonly Places[]): Places {
  const boxes = parts.map((places) => {
    const [xs, ys] = [Object.values(places).map(({ x }) => x), Object.values(places).map(({ y }) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    return { places, left, top, width: Math.max(...xs) - left + GAP, height: Math.max(...ys) - top + GAP };
  });
  boxes.sort((one, other) => other.height - one.height);
  // Of all widths at which rows can end, the one at which the whole is drawn largest.
  let [best, least, width] = [null as Rows | null, Infinity, 0];
  for (const box of boxes) {
    width += box.width;
    const rows = inRowsOf(boxes, width);
    const size = Math.max(rows.width / SHAPE, rows.height);
    if (size < least) [best, least] = [rows, size];
  }
  const found = boxes.flatMap(({ places, left, top }, at) => {
    const { x, y } = best!.corners[at]!;
    return Object.entries(places).map(([id, place]): [string, Point] => [
      id,
      { x: Math.round(place.x - left + x), y: Math.round(place.y - top + y) },
    ]);
  });
  return Object.fromEntries(found);
}

interface Rows {
  corners: Point[];
  width: number;
  height: number;
}

/** The corners of boxes in rows of at most this width; low boxes go below others of their row. */
function inRowsOf(boxes: readonly { width: number; height: number }[], most: number): Rows {
  const corners: Point[] = [];
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  let column = { x: 0, width: 0, bottom: 0 };
  for (const box of boxes) {
    if (box.width > column.width || column.bottom + box.height > y + rowHeight) {
      if (x > 0 && x + box.width > most) [x, y, rowHeight] = [0, y + rowHeight, 0];
      // The first box of a row is its highest.
      rowHeight ||= box.height;
      column = { x, width: box.width, bottom: y };
      x += box.width;
    }
    corners.push({ x: column.x + (column.width - box.width) / 2, y: column.bottom });
    column.bottom += box.height;
    width = Math.max(width, x);
  }
  return { corners, width, height: y + rowHeight };
}

function simulated({ nodes, edges, known }: Question): Places {
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
