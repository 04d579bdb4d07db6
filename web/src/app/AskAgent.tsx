// A link to a new conversation with an agent, in places that show what it makes.

import type { ReactNode } from "react";
import { useMayWrite } from "./access";
import { useAgentOf } from "./agents";
import { hashOf } from "./router";

/** Nothing for users who may not talk to agents, and where the agent is not served. */
export function AskAgent({ agent, children }: { agent: string; children: ReactNode }): ReactNode {
  const mayWrite = useMayWrite();
  const isServed = useAgentOf()(agent) !== undefined;
  return (
    mayWrite &&
    isServed && (
      <a className="button" href={hashOf("chat", [], { agent })}>
        {children}
      </a>
    )
  );
}
