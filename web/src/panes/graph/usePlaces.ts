// The places of the nodes that are shown, computed in a worker. Nodes keep their places while others are added.

import { useEffect, useRef, useState } from "react";
import type { GraphPart } from "./api";
import type { Places } from "./forces";
import { fromId, nodeId, toId } from "./layout";

/** Places by node id; those of nodes that were added last may be missing for a moment. `of` names what is shown. */
export function usePlaces(part: GraphPart, of: string): Places {
  const [found, setFound] = useState<{ of: string; places: Places }>({ of, places: {} });
  const known = useRef(found);
  const worker = useRef<Worker | null>(null);
  useEffect(
    () => () => {
      worker.current?.terminate();
      worker.current = null;
    },
    [],
  );
  useEffect(() => {
    const nodes = part.nodes.map(nodeId);
    const before = known.current.of === of ? known.current.places : {};
    if (nodes.every((id) => before[id])) {
      if (known.current.of !== of) setFound((known.current = { of, places: before }));
      return;
    }
    worker.current ??= new Worker(new URL("./forces.worker.ts", import.meta.url), { type: "module" });
    const mine = worker.current;
    const id = Math.random();
    const answered = ({ data }: MessageEvent<{ id: number; places: Places }>) => {
      if (data.id === id) setFound((known.current = { of, places: data.places }));
    };
    mine.addEventListener("message", answered);
    const edges = part.edges.map((edge) => [fromId(edge), toId(edge)] as const);
    mine.postMessage({ id, question: { nodes, edges, known: before } });
    return () => mine.removeEventListener("message", answered);
  }, [part, of]);
  return found.of === of ? found.places : {};
}
