// What the nodes of a flow are called for people: by the label that the flow gives them, else by their id in readable form.

import { createContext, useContext, useMemo } from "react";
import { api } from "../api";
import { type NameOf, readable } from "./readable";
import { useResource } from "./resource";

/** The names of the nodes of the flow that is shown; a conversation and its trace provide them. */
export const NodeNames = createContext<NameOf>(readable);

export const useNodeNames = (): NameOf => useContext(NodeNames);

/** The names of an agent's nodes; of one that is not known (yet) they are made of the ids. */
export function useNamesOf(agent: string): NameOf {
  const { data } = useResource(agent ? `agent/${agent}` : null, () => api.agent(agent));
  return useMemo(() => {
    const labels = new Map(data?.flow_nodes.map((each) => [each.id, each.label]));
    return (node) => labels.get(node) || readable(node);
  }, [data]);
}
