// Transitions without an edge: those of a node after an error or too many invalid answers, and those from anywhere.

import type { Flow, FlowGraph } from "./flow";

const OF_NODE = { on_invalid: "onInvalid", on_error: "onError" } as const;
const OF_FLOW = { on_stuck: "onStuck", on_escalate: "onEscalate", on_abandon: "onAbandon" } as const;

/** The name of a transition, as in the words of the picture. */
export type JumpName = (typeof OF_NODE)[keyof typeof OF_NODE];
export type EscapeName = (typeof OF_FLOW)[keyof typeof OF_FLOW];

export interface Jump {
  /** Different from the keys of edges. */
  key: string;
  from: string;
  to: string;
  name: JumpName;
}

/** The transitions from the nodes of a graph, as they name them. */
export function jumpsIn({ nodes }: FlowGraph): Jump[] {
  return nodes.flatMap(({ id, data }) =>
    Object.entries(OF_NODE).flatMap(([field, name]) => {
      const to = data[field];
      return typeof to === "string" && to ? [{ key: `${id} ${field}`, from: id, to, name }] : [];
    }),
  );
}

/** The nodes that a conversation may enter from anywhere, each with the first reason. */
export function escapesIn({ data }: Flow): Map<string, EscapeName> {
  const found = new Map<string, EscapeName>();
  for (const [field, name] of Object.entries(OF_FLOW)) {
    const to = data[field];
    if (typeof to === "string" && to && !found.has(to)) found.set(to, name);
  }
  return found;
}
