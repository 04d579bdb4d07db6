// Edges by the ids that the compiler gives them, which events and differences name.

import type { Flow } from "./flow";

/** The keys of edges by their ids: their own, or `from->to` made unique with `#2`, as the compiler does. */
export function edgeKeys(flow: Flow): Map<string, string> {
  const graphs = [...flow.graphs.values()];
  const taken = new Set(graphs.flatMap(({ edges }) => edges.map((each) => each.data.id)));
  const found = new Map<string, string>();
  for (const edge of graphs.flatMap((graph) => graph.edges)) {
    let name = typeof edge.data.id === "string" ? edge.data.id : `${edge.from}->${edge.to}`;
    if (typeof edge.data.id !== "string")
      for (let number = 2; taken.has(name); number += 1) name = `${edge.from}->${edge.to}#${number}`;
    taken.add(name);
    found.set(name, edge.key);
  }
  return found;
}
