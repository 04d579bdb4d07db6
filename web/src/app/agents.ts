// The served agents, and their titles.

import { useMemo } from "react";
import { api } from "../api";
import { useResource } from "./resource";

/** The title of an agent by its name; the name itself if it is not served (any more). */
export function useTitleOf(): (agent: string) => string {
  const { data } = useResource("agents", api.agents);
  return useMemo(() => {
    const titles = new Map(data?.items.map((each) => [each.name, each.title]));
    return (agent) => titles.get(agent) || agent;
  }, [data]);
}
