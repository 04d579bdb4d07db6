// The flow of a draft's text, and the nodes and edges at its places.

import { isMap, isSeq, type Node } from "yaml";
import { type Flow, type FlowEdge, type FlowNode, type Path, fields, flowOf } from "../../../flow-canvas/flow";
import type { Finding } from "../api";
import { parsed } from "./yamlEdit";

/** Reads a document. Null if it has a syntax error or is not a map: the last good picture stays. */
export function readFlow(source: string): Flow | null {
  let document;
  let data;
  try {
    document = parsed(source);
    if (document.errors.length > 0 || !isMap(document.contents)) return null;
    data = document.toJS() as unknown;
  } catch {
    return null; // aliases that would expand without end, or nested too deeply
  }
  return flowOf(fields(data), {
    range: (path) => {
      const found = (document.getIn(path, true) as Node | undefined)?.range;
      return found ? [found[0], found[1]] : [0, 0];
    },
    isList: (path) => isSeq(document.getIn(path, true)),
  });
}

type Placed = FlowNode | FlowEdge;

/** The node or edge at a position of the text. */
export function at(flow: Flow, position: number): Placed | undefined {
  const inside = (each: Placed) => each.range[0] <= position && position <= each.range[1];
  return [...flow.nodes.values()].find(inside) ?? [...flow.edges.values()].find(inside);
}

/** The node or edge that a JSON pointer of a diagnostic leads to, such as `/nodes/3/key`. */
export function ofPointer(flow: Flow, pointer: string): Placed | undefined {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const within = ({ path }: { path: Path }) =>
    path.length <= parts.length && path.every((part, index) => String(part) === parts[index]);
  return [...flow.nodes.values()].find(within) ?? [...flow.edges.values()].find(within);
}

const ORDER = { error: 2, warning: 1, info: 0 };

/** The worst finding of each node and edge. */
export function worst(flow: Flow, findings: readonly Finding[]): Map<string, Finding> {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const place = ofPointer(flow, finding.pointer);
    if (!place) continue;
    const key = "id" in place ? place.id : place.key;
    const known = found.get(key);
    if (!known || ORDER[finding.severity] > ORDER[known.severity]) found.set(key, finding);
  }
  return found;
}
