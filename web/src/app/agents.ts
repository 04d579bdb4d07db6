// The served agents, and their titles.

import { useMemo } from "react";
import { type Agent, api } from "../api";
import { useResource } from "./resource";

/** An agent by its name; undefined if it is not served (any more). */
export function useAgentOf(): (agent: string) => Agent | undefined {
  const { data } = useResource("agents", api.agents);
  return useMemo(() => {
    const agents = new Map(data?.items.map((each) => [each.name, each]));
    return (agent) => agents.get(agent);
  }, [data]);
}

/** The title of an agent by its name; the name itself if it is not served (any more). */
export function useTitleOf(): (agent: string) => string {
  const agentOf = useAgentOf();
  return useMemo(() => (agent) => agentOf(agent)?.title || agent, [agentOf]);
}
