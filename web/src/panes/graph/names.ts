// The nodes that have room for their names in a picture that is far away.

import type { GraphNode, GraphPart } from "./api";
import type { Places } from "./forces";
import { captionOf, countsOf, nodeId, sizeOf } from "./layout";

const [LETTER, WIDEST, HEIGHT] = [7.5, 130, 19]; // px of a name on the screen
const LARGEST = 3; // how much larger than the picture a name gets

/** The nodes whose names do not cover each other at this zoom, the important ones first. */
export function namedAt(
  part: GraphPart,
  places: Places,
  degrees: ReadonlyMap<string, number>,
  zoom: number,
): ReadonlySet<GraphNode> {
  const degreeOf = (node: GraphNode) => degrees.get(nodeId(node)) ?? 0;
  // Of many alike, none is worth a name before the few others.
  const alike = new Map(countsOf(part.nodes.map((each) => each.label)));
  const weightOf = (node: GraphNode) => (1 + degreeOf(node)) / (alike.get(node.label) ?? 1);
  const scale = Math.min(LARGEST, 1 / zoom);
  const taken: { x: number; y: number; half: number }[] = [];
  const height = HEIGHT * scale;
  const named = new Set<GraphNode>();
  for (const node of [...part.nodes].sort((one, other) => weightOf(other) - weightOf(one))) {
    const place = places[nodeId(node)];
    if (!place) continue;
    const half = (Math.min(WIDEST, captionOf(node).length * LETTER + 8) / 2) * scale;
    const y = place.y + sizeOf(degreeOf(node)) / 2;
    const isFree = taken.every(
      (each) => Math.abs(each.y - y) > height || Math.abs(each.x - place.x) > each.half + half,
    );
    if (!isFree) continue;
    taken.push({ x: place.x, y, half });
    named.add(node);
  }
  return named;
}
