// The agents that are served, and what they are called.

import { useMemo } from "react";
import { api } from "../api";
import { useResource } from "./resource";

/** The title of an agent by its name; the name itself of one that is not served (any more). */
export function useTitleOf(): (agent: string) => string {
  const { data } = useResource("agents", api.agents);
  return useMemo(() => {
    const titles = new Map(data?.items.map((each) => [each.name, each.title]));
    return (agent) => titles.get(agent) || agent;
  }, [data]);
}
