// The layout of a flow: layers from top to bottom by ELK in a worker; positions that a person chose are kept.

import type { ELK, ElkEdgeSection, ElkNode } from "elkjs/lib/elk-api";
import workerAddress from "elkjs/lib/elk-worker.min.js?url";
import { spoken } from "../app/language";
import { type Look, type Opened, NODE, elkGraph, referredBy } from "./elkGraph";
import { type Flow, type FlowNode, type Position, positionOf } from "./flow";
import { loadMeasure } from "./measure";
import { inRows } from "./rows";
import { words } from "./words";

export interface Box extends Position {
  id: string;
  /** The node of the flow; null for the exit of a subgraph and for a reference. */
  node: FlowNode | null;
  /** The node, or the exit, that a reference stands for. */
  refersTo: string | null;
  /** The subgraph node around it; positions are relative to it. */
  parent: string | null;
  width: number;
  height: number;
  /** The graph whose nodes are inside, if it is an open subgraph. */
  open: string | null;
}

export interface Line {
  id: string;
  /** The key of the edge in the flow, or of the transition. */
  edge: string;
  source: string;
  target: string;
  /** The corners of the way, in the coordinates of the whole picture; none where a person moved an end. */
  points: Position[];
  label: string;
  look: Look;
  /** The middle of the label, if the layout placed it. */
  labelAt: Position | null;
}

export interface Picture {
  boxes: Box[];
  lines: Line[];
}

const LONGEST = 5000; // ms that the layout may take

let engine: Promise<ELK> | null = null;

const elk = (): Promise<ELK> => (engine ??= started());

async function started(): Promise<ELK> {
  const { default: Elk } = await import("elkjs/lib/elk-api");
  const made = new Elk({ workerFactory: () => new Worker(workerAddress) });
  // Loading the worker is not part of the time that a layout may take.
  await made.layout({ id: "" });
  return made;
}

const ORDER = "elk.layered.considerModelOrder.strategy";

/** A graph whose layout, also inside its subgraphs, keeps an order of the document. */
const ordered = (node: ElkNode, order: string): ElkNode => ({
  ...node,
  ...(node.children ? { layoutOptions: { ...node.layoutOptions, [ORDER]: order } } : {}),
  ...(node.children ? { children: node.children.map((each) => ordered(each, order)) } : {}),
});

/** The layout by ELK; null if it fails or takes too long, as it does for many edges over many layers. */
async function laidOut(root: ElkNode): Promise<ElkNode | null> {
  // Keeping the order of nodes, ELK fails on some subgraphs, such as one with two last nodes.
  for (const order of ["NODES_AND_EDGES", "PREFER_EDGES"]) {
    try {
      return await laidInTime(ordered(root, order));
    } catch {
      // The next order, then rows.
    }
  }
  return null;
}

async function laidInTime(root: ElkNode): Promise<ElkNode | null> {
  const mine = await elk();
  let timer = 0;
  const late = new Promise<null>((resolve) => {
    timer = window.setTimeout(resolve, LONGEST, null);
  });
  try {
    const laid = await Promise.race([mine.layout(root), late]);
    if (laid === null) {
      mine.terminateWorker();
      engine = null;
    }
    return laid;
  } finally {
    clearTimeout(timer);
  }
}

/** A long flow is laid out in columns, so that all of it can be shown. */
const IN_COLUMNS = { "elk.layered.wrapping.strategy": "MULTI_EDGE", "elk.aspectRatio": "1.1" };
const LONG = 4; // times as high as wide
const MANY = 24; // nodes of a flow that is laid out in columns
const BELOW = 48; // px between a node that a person moved and the references of its edges

async function inColumns(root: ElkNode): Promise<ElkNode | null> {
  const laid = await laidOut(root);
  if (!laid || (laid.height ?? 0) < LONG * (laid.width ?? 0) || (root.children?.length ?? 0) < MANY) return laid;
  return (await laidOut({ ...root, layoutOptions: { ...root.layoutOptions, ...IN_COLUMNS } })) ?? laid;
}

/** Lays out a flow whose subgraph nodes in `open` show the nodes of a subgraph in place. */
export async function layout(flow: Flow, open: Opened): Promise<Picture> {
  const { root, nodes, ends } = elkGraph(flow, open, spoken(words), await loadMeasure());
  const laid = (await inColumns(root)) ?? inRows(root);
  const boxes: Box[] = [];
  const moved = new Set<string>();
  const place = (parent: ElkNode, inside: string | null) => {
    for (const each of parent.children ?? []) {
      const node = nodes.get(each.id) ?? null;
      const chosen = node ? positionOf(node.data) : null;
      if (chosen) moved.add(each.id);
      const { x, y } = chosen ?? { x: each.x ?? 0, y: each.y ?? 0 };
      const { width = NODE.width, height = NODE.height } = each;
      const shown = each.children === undefined ? null : (open.get(each.id) ?? null);
      boxes.push({
        id: each.id,
        node,
        refersTo: referredBy(each.id),
        parent: inside,
        x,
        y,
        width,
        height,
        open: shown,
      });
      place(each, each.id);
      if (chosen) for (const inner of each.children ?? []) moved.add(inner.id);
    }
  };
  place(laid, null);
  // References follow a node that a person moved.
  const byId = new Map(boxes.map((each) => [each.id, each]));
  const placed = new Map<string, number>();
  for (const { source, target } of ends.values()) {
    const [from, to] = [byId.get(source), byId.get(target)];
    if (!from || !to || to.refersTo === null || !moved.has(source)) continue;
    const before = placed.get(source) ?? 0;
    placed.set(source, before + 1);
    moved.add(target);
    to.x = from.x + (from.width - to.width) / 2;
    to.y = from.y + from.height + BELOW + before * (to.height + BELOW / 4);
  }
  const lines: Line[] = [];
  const laidEdges = new Map(laid.edges?.map((each) => [each.id, each]));
  for (const [id, { source, target, size, label: text, look }] of ends) {
    const found = laidEdges.get(id);
    const section = found?.sections?.[0];
    const isStill = !moved.has(source) && !moved.has(target);
    const isLaid = section !== undefined && isStill;
    const [label] = found?.labels ?? [];
    lines.push({
      id,
      edge: id,
      source,
      target,
      points: isLaid ? corners(section) : [],
      label: text,
      look,
      labelAt:
        isStill && size && label?.x !== undefined && label.y !== undefined
          ? { x: label.x + size.width / 2, y: label.y + size.height / 2 }
          : null,
    });
  }
  return { boxes, lines };
}

const corners = (section: ElkEdgeSection): Position[] => [
  section.startPoint,
  ...(section.bendPoints ?? []),
  section.endPoint,
];
