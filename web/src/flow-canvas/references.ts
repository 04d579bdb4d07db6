// The edges that a picture shows as references to their targets: many edges to one node from far away hide the others.

interface Edge {
  key: string;
  from: string;
  to: string;
}

const MANY = 6; // edges to one node, from which those from far away are references
const NEAR = 1; // ranks that such an edge may begin below the first of them

/** The keys of the edges of one graph that are shown as references. */
export function farEdges(entry: string, edges: readonly Edge[]): Set<string> {
  const into = new Map<string, number>();
  for (const { to } of edges) into.set(to, (into.get(to) ?? 0) + 1);
  const isHub = (id: string) => (into.get(id) ?? 0) >= MANY;
  if (![...into.keys()].some(isHub)) return new Set();
  const back = backEdges(entry, edges);
  const rank = ranks(edges.filter(({ key, to }) => !back.has(key) && !isHub(to)));
  // The rank of the first node from which an edge leads to a node with many.
  const below = new Map<string, number>();
  for (const { key, from, to } of edges)
    if (isHub(to) && !back.has(key)) below.set(to, Math.min(below.get(to) ?? Infinity, rank.get(from) ?? 0));
  const isFar = ({ key, from, to }: Edge) =>
    isHub(to) && (back.has(key) || (rank.get(from) ?? 0) > below.get(to)! + NEAR);
  return new Set(edges.filter(isFar).map(({ key }) => key));
}

/** The edges that lead back to a node on the way to them, found depth first from the entry. */
export function backEdges(entry: string, edges: readonly Edge[]): Set<string> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  const [open, done, back] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const visit = (first: string) => {
    const stack = [{ id: first, rest: [...(leaving.get(first) ?? [])] }];
    open.add(first);
    while (stack.length > 0) {
      const { id, rest } = stack.at(-1)!;
      const edge = rest.shift();
      if (!edge) {
        stack.pop();
        open.delete(id);
        done.add(id);
      } else if (open.has(edge.to)) back.add(edge.key);
      else if (!done.has(edge.to)) {
        open.add(edge.to);
        stack.push({ id: edge.to, rest: [...(leaving.get(edge.to) ?? [])] });
      }
    }
  };
  for (const id of [entry, ...leaving.keys()]) if (!done.has(id)) visit(id);
  return back;
}

/** The length of the longest way to each node, along edges without a cycle. */
function ranks(edges: readonly Edge[]): Map<string, number> {
  const into = new Map<string, number>();
  const leaving = new Map<string, string[]>();
  for (const { from, to } of edges) {
    into.set(to, (into.get(to) ?? 0) + 1);
    leaving.set(from, [...(leaving.get(from) ?? []), to]);
  }
  const rank = new Map<string, number>();
  const queue = [...leaving.keys()].filter((id) => !into.has(id));
  for (const id of queue)
    for (const next of leaving.get(id) ?? []) {
      rank.set(next, Math.max(rank.get(next) ?? 0, (rank.get(id) ?? 0) + 1));
      into.set(next, into.get(next)! - 1);
      if (into.get(next) === 0) queue.push(next);
    }
  return rank;
}
