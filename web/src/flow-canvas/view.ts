// The visible part of a picture.

import type { Node, ReactFlowInstance } from "@xyflow/react";

const ABOVE = 64; // px for a toolbar
const BELOW = 68; // px for the tools of the picture

/** The room around the whole picture: a toolbar may be above it, and its own tools are below. */
export const PADDING = { top: `${ABOVE}px`, x: "24px", bottom: `${BELOW}px` } as const;
const FOLLOWED = 0.6; // the smallest zoom at which a way can be followed by the names of its nodes
const COMFORTABLE = 0.9; // the zoom of a picture that does not fit as a whole
const WIDTH = 48; // px beside what is shown, as in PADDING
const GAP = 12; // px below a toolbar

/** The height of the toolbars over the top of a picture, in px: they take two rows where it is narrow. */
function above(place: DOMRect | undefined): number {
  const tools = document.querySelector("[data-over-canvas]")?.getBoundingClientRect();
  return tools && place ? Math.max(ABOVE, tools.bottom - place.top + GAP) : ABOVE;
}

const paddingIn = (place: DOMRect | undefined) => ({ ...PADDING, top: `${above(place)}px` as const });

/** The room for what is shown. */
const roomIn = (place: DOMRect) => ({
  width: place.width - WIDTH,
  height: place.height - above(place) - BELOW,
});

/** The canvas of the page; dialogs with further ones come after it. */
const placeOf = (): DOMRect | undefined => document.querySelector(".flow-canvas")?.getBoundingClientRect();

/** Whether a picture is hidden: it has no size that something could be fitted to. */
const isHidden = (place: DOMRect | undefined): boolean => place?.width === 0 || place?.height === 0;

/** Shows the whole picture. */
export function showAll(instance: ReactFlowInstance, place = placeOf()): void {
  if (!isHidden(place)) void instance.fitView({ padding: paddingIn(place), maxZoom: 1 });
}

const FIRST = 0.8; // the smallest zoom of a picture whose texts are read

/**
 * Shows the whole picture if that is of use, otherwise a node with as much as can be read: with nodes `among`, the last
 * of them before it; without them, what follows it along the edges.
 */
export function showNode(
  instance: ReactFlowInstance,
  id: string,
  among: ReadonlySet<string> | null,
  animated = false,
  place = placeOf(),
): void {
  if (isHidden(place)) return;
  const duration = animated && !matchMedia("(prefers-reduced-motion: reduce)").matches ? 250 : 0;
  const zoomOf = (nodes: Node[]) => {
    const bounds = instance.getNodesBounds(nodes);
    if (!place) return 1;
    const room = roomIn(place);
    return Math.min(room.width / bounds.width, room.height / bounds.height);
  };
  const padding = paddingIn(place);
  const all = instance.getNodes();
  const some = all.filter((each) => among?.has(each.id));
  const least = among ? FOLLOWED : FIRST;
  if (zoomOf(all) >= least) void instance.fitView({ nodes: all, padding, maxZoom: 1, duration });
  else {
    const order = among ? lastFirst(some, id) : following(instance, id);
    const nodes = fitting(order, (part) => zoomOf(part) >= least);
    void instance.fitView({ nodes: nodes.length > 0 ? nodes : all, padding, maxZoom: COMFORTABLE, duration });
  }
}

/**
 * Shows some of the nodes if they are not in view: with the whole picture if all of it can be read and nobody enlarged
 * it, otherwise by moving it as little as needed.
 */
export function reveal(instance: ReactFlowInstance, ids: readonly string[], place = placeOf()): void {
  const nodes = ids.flatMap((id) => instance.getInternalNode(id) ?? []);
  if (nodes.length === 0 || !place || isHidden(place)) return;
  const bounds = instance.getNodesBounds(nodes);
  const { x, y, zoom } = instance.getViewport();
  const by = (start: number, length: number, room: number, least: number) => {
    if (start < least) return least - start;
    return start + length > room - 24 ? Math.max(least - start, room - 24 - start - length) : 0;
  };
  const right = by(bounds.x * zoom + x, bounds.width * zoom, place.width, 24);
  const down = by(bounds.y * zoom + y, bounds.height * zoom, place.height, above(place));
  if (right === 0 && down === 0) return;
  const all = instance.getNodesBounds(instance.getNodes());
  const room = roomIn(place);
  const whole = Math.min(room.width / all.width, room.height / all.height);
  if (zoom <= 1 && whole >= FOLLOWED) {
    showAll(instance, place);
    return;
  }
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;
  void instance.setViewport({ x: x + right, y: y + down, zoom }, { duration });
}

/** A node, and the others before it from the last on. */
function lastFirst(nodes: readonly Node[], id: string): Node[] {
  const first = nodes.filter((each) => each.id === id);
  return first.length > 0 ? [...first, ...nodes.filter((each) => each.id !== id).reverse()] : [];
}

/** A node, and what follows it along the edges, breadth first. */
function following(instance: ReactFlowInstance, id: string): Node[] {
  const targets = new Map<string, string[]>();
  for (const { source, target } of instance.getEdges()) targets.set(source, [...(targets.get(source) ?? []), target]);
  const queue = [id];
  const found = new Set(queue);
  for (const each of queue)
    for (const next of targets.get(each) ?? [])
      if (!found.has(next)) {
        found.add(next);
        queue.push(next);
      }
  return queue.flatMap((each) => instance.getNode(each) ?? []);
}

/** The first node with as many of the others, in their order, as fit. */
function fitting(nodes: readonly Node[], fits: (part: Node[]) => boolean): Node[] {
  let part = nodes.slice(0, 1);
  for (const each of nodes.slice(1)) if (fits([...part, each])) part = [...part, each];
  return part;
}
