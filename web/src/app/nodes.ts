// The readable names of the nodes of a flow: the label in the flow, or else words made from the id.

import { createContext, useContext, useMemo } from "react";
import { api } from "../api";
import { type NameOf, readable } from "./readable";
import { useResource } from "./resource";

/** The names of the nodes of the shown flow; a conversation and its trace provide them. */
export const NodeNames = createContext<NameOf>(readable);

export const useNodeNames = (): NameOf => useContext(NodeNames);

/** The names of an agent's nodes; made from the ids if the agent is not known (yet). */
export function useNamesOf(agent: string): NameOf {
  const { data } = useResource(agent ? `agent/${agent}` : null, () => api.agent(agent));
  return useMemo(() => {
    const labels = new Map(data?.flow_nodes.map((each) => [each.id, each.label]));
    return (node) => labels.get(node) || readable(node);
  }, [data]);
}
