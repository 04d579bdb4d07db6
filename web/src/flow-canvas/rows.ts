// A simple layout in rows, for flows whose layers take too long to compute: nodes by their distance from the first one.

import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";

const GAP = { x: 36, y: 72 }; // px between nodes, and at least between rows
const LABELS = { above: 20, between: 4, below: 30 }; // px around the labels below the node whose edges they describe
const INSIDE = { top: 60, side: 20 }; // px around the nodes of an open subgraph
const WIDEST = 8; // nodes in a row

/** The edges by the nodes that they leave. */
type Leaving = ReadonlyMap<string, ElkExtendedEdge[]>;

/**
 * The same graph with positions. Its edges have no ways, and are drawn from node to node; their labels stand one below
 * the other under the node that they leave.
 */
export function inRows(root: ElkNode): ElkNode {
  const leaving = new Map<string, ElkExtendedEdge[]>();
  for (const edge of root.edges ?? [])
    for (const source of edge.sources) leaving.set(source, [...(leaving.get(source) ?? []), edge]);
  const laid = placed(root, leaving);
  const edges: ElkExtendedEdge[] = [];
  labelled(laid, { x: 0, y: 0 }, leaving, edges);
  return { ...laid, edges };
}

function placed(parent: ElkNode, leaving: Leaving): ElkNode {
  const nodes = (parent.children ?? []).map((each) => (each.children ? placed(each, leaving) : each));
  let [y, width, gap] = [INSIDE.top, 0, 0];
  const children: ElkNode[] = [];
  for (const row of rowsOf(nodes, leaving)) {
    let [x, height] = [INSIDE.side, 0];
    gap = GAP.y;
    for (const node of row) {
      children.push({ ...node, x, y });
      x += (node.width ?? 0) + GAP.x;
      height = Math.max(height, node.height ?? 0);
      const labels = (leaving.get(node.id) ?? []).flatMap((edge) => edge.labels ?? []);
      const room = labels.reduce((sum, each) => sum + (each.height ?? 0) + LABELS.between, 0);
      gap = Math.max(gap, LABELS.above + room + LABELS.below);
    }
    width = Math.max(width, x - GAP.x + INSIDE.side);
    y += height + gap;
  }
  return { ...parent, children, width, height: y - gap + INSIDE.side };
}

/** Collects the edges with the places of their labels in the whole picture. */
function labelled(parent: ElkNode, at: { x: number; y: number }, leaving: Leaving, edges: ElkExtendedEdge[]): void {
  for (const node of parent.children ?? []) {
    const [x, top] = [at.x + (node.x ?? 0), at.y + (node.y ?? 0)];
    let y = top + (node.height ?? 0) + LABELS.above;
    for (const edge of leaving.get(node.id) ?? []) {
      const labels = (edge.labels ?? []).map((label) => {
        const place = { ...label, x: x + ((node.width ?? 0) - (label.width ?? 0)) / 2, y };
        y += (label.height ?? 0) + LABELS.between;
        return place;
      });
      edges.push({ ...edge, labels });
    }
    labelled(node, { x, y: top }, leaving, edges);
  }
}

function rowsOf(nodes: readonly ElkNode[], leaving: Leaving): ElkNode[][] {
  const byId = new Map(nodes.map((each) => [each.id, each]));
  const rank = new Map<string, number>();
  for (const { id: first } of nodes) {
    if (rank.has(first)) continue;
    const queue = [first];
    rank.set(first, rank.size === 0 ? 0 : Math.max(...rank.values()) + 1);
    for (const id of queue)
      for (const next of (leaving.get(id) ?? []).flatMap((edge) => edge.targets))
        if (byId.has(next) && !rank.has(next)) {
          rank.set(next, rank.get(id)! + 1);
          queue.push(next);
        }
  }
  const rows: ElkNode[][] = [];
  for (const [id, at] of rank) (rows[at] ??= []).push(byId.get(id)!);
  return rows.flatMap((row) => {
    const parts = Math.ceil(row.length / WIDEST);
    return Array.from({ length: parts }, (_, part) => row.slice(part * WIDEST, (part + 1) * WIDEST));
  });
}
