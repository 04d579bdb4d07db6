// The question whose yes an action needs, as a choice; the field below says the same.

import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Flow, type FlowNode, fields } from "../../flow-canvas/flow";
import { Choice } from "./fields";
import { confirmation, confirmations } from "./model/answers";
import { useNodeTitles } from "./nodeTitles";
import { words } from "./words";

interface Props {
  of: FlowNode;
  flow: Flow;
  disabled: boolean;
  onChange(next: Json | undefined): void;
}

export function ConfirmedBy({ of, flow, disabled, onChange }: Props): ReactNode {
  const say = useText(words);
  const titleOf = useNodeTitles(flow);
  const { by } = fields(of.data.confirm);
  return (
    <Choice
      label={say.confirmedBy}
      value={typeof by === "string" ? by : ""}
      placeholder={say.noConfirmation}
      choices={confirmations(flow, of).map((each) => each.id)}
      titleOf={titleOf}
      disabled={disabled}
      onChange={(id) => onChange(id ? confirmation(flow, id) : undefined)}
    />
  );
}
