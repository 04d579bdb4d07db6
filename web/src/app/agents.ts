// The served agents with their texts in the user's language, and their titles.

import { useMemo } from "react";
import { type Agent, api } from "../api";
import { language } from "./language";
import { type Resource, useResource } from "./resource";
import { useStore } from "./store";

/** An agent as lists show it. */
export interface ShownAgent extends Agent {
  /** Its purpose in one line; empty if its flow has none. */
  about: string;
}

/** The agent with the texts of this language where its flow has them, otherwise with those of the flow. */
function shownAgent(agent: Agent, spoken: string): ShownAgent {
  const own = agent.texts[spoken];
  return {
    ...agent,
    title: own?.title || agent.title,
    about: own?.about ?? "",
    description: own?.description || agent.description,
    examples: own?.examples?.length ? own.examples : agent.examples,
  };
}

/** All served agents. */
export function useAgents(): Omit<Resource<ShownAgent[]>, "put"> {
  const { data, ...found } = useResource("agents", api.agents);
  const spoken = useStore(language);
  const shown = useMemo(() => data?.items.map((each) => shownAgent(each, spoken)), [data, spoken]);
  return { ...found, data: shown };
}

/** An agent by its name; undefined if it is not served (any more). */
export function useAgentOf(): (agent: string) => ShownAgent | undefined {
  const { data } = useAgents();
  return useMemo(() => {
    const agents = new Map(data?.map((each) => [each.name, each]));
    return (agent) => agents.get(agent);
  }, [data]);
}

/** The title of an agent by its name; the name itself if it is not served (any more). */
export function useTitleOf(): (agent: string) => string {
  const agentOf = useAgentOf();
  return useMemo(() => (agent) => agentOf(agent)?.title || agent, [agentOf]);
}
