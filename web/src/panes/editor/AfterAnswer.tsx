// The answer after which an edge is taken, as a choice; the guard below says the same.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import type { Flow, FlowEdge } from "../../flow-canvas/flow";
import { Choice } from "./fields";
import { answerGuards } from "./model/answerGuards";
import { setField } from "./model/commands";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

interface Props {
  edge: FlowEdge;
  flow: Flow;
  disabled: boolean;
}

/** Nothing if the answers of the source are not known one by one. */
export function AfterAnswer({ edge, flow, disabled }: Props): ReactNode {
  const session = useSession();
  const { layers } = useSessionState();
  const say = useText(words);
  const guards = answerGuards(flow.nodes.get(edge.from));
  if (guards.size === 0 || layers) return null;
  const titles = new Map(
    [...guards].map(([guard, answer]) => [guard, typeof answer === "string" ? answer : answer ? say.yes : say.no]),
  );
  const { guard } = edge.data;
  return (
    <Choice
      label={say.afterAnswer}
      value={typeof guard === "string" ? guard : ""}
      placeholder={say.anyAnswer}
      choices={[...titles.keys(), "else"]}
      titleOf={(each) => titles.get(each) ?? (each === "else" ? say.otherAnswer : each)}
      disabled={disabled}
      onChange={(next) => session.apply((text) => setField(text, edge.path, "guard", next || undefined))}
    />
  );
}
