// The agents that the palette finds: a row for each, which begins a conversation; its other commands follow with Tab.

import { FilePenLine, History, type LucideIcon, MessageSquarePlus } from "lucide-react";
import { useMemo } from "react";
import { usePanes } from "../panes";
import { useMayWrite } from "./access";
import { useAgents } from "./agents";
import type { Command } from "./commands";
import { fit } from "./fit";
import { texts, useText } from "./language";
import { go, hashOf } from "./router";

export const agentWords = texts({
  agents: ["Agents", "Agenten"],
  begin: [(agent: string) => `New conversation with ${agent}`, (agent: string) => `Neues Gespräch mit ${agent}`],
  edit: [(agent: string) => `Edit ${agent}`, (agent: string) => `${agent} bearbeiten`],
  traces: [(agent: string) => `Traces of ${agent}`, (agent: string) => `Verläufe von ${agent}`],
});

const AGENTS = 3; // agents shown

/** The commands for agents whose names or titles have the letters; those but the first of an agent only if it is open. */
export function useAgentCommands(letters: string, open: string): Command[] {
  const say = useText(agentWords);
  const panes = usePanes();
  const mayWrite = useMayWrite();
  const { data } = useAgents();
  return useMemo(() => {
    const has = (pane: string) => panes.some((each) => each.name === pane);
    const found = (data ?? [])
      .map((agent) => ({
        agent,
        // Words about an agent find it, too, after its title.
        score: Math.max(fit(letters, `${agent.title} ${agent.name}`), fit(letters, agent.description) / 2),
      }))
      .filter(({ score }) => letters.trim() !== "" && score >= 500)
      .sort((one, other) => other.score - one.score)
      .slice(0, AGENTS);
    return found.flatMap(({ agent: { name, title } }): Command[] => {
      const command = (id: string, text: string, icon: LucideIcon, hash: string): Command => ({
        id: `agent.${id}.${name}`,
        group: say.agents,
        title: text,
        icon,
        run: () => go(hash),
      });
      const all = [
        ...(mayWrite ? [command("new", say.begin(title), MessageSquarePlus, hashOf("chat", [], { agent: name }))] : []),
        ...(has("editor") ? [command("edit", say.edit(title), FilePenLine, hashOf("editor", [name]))] : []),
        ...(has("trace") ? [command("traces", say.traces(title), History, hashOf("trace", [], { agent: name }))] : []),
      ];
      return all.slice(0, all.some((each) => each.id === open) ? undefined : 1);
    });
  }, [data, letters, open, panes, mayWrite, say]);
}
