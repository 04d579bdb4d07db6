// The question whose yes an action needs, as a choice; the field below says the same.

import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Flow, type FlowNode, fields } from "../../flow-canvas/flow";
import { titlesOf } from "../../flow-canvas/titles";
import { Choice } from "./fields";
import { confirmation, confirmations } from "./model/answers";
import { words } from "./words";

interface Props {
  of: FlowNode;
  flow: Flow;
  disabled: boolean;
  onChange(next: Json | undefined): void;
}

export function ConfirmedBy({ of, flow, disabled, onChange }: Props): ReactNode {
  const say = useText(words);
  const { by } = fields(of.data.confirm);
  return (
    <Choice
      label={say.confirmedBy}
      value={typeof by === "string" ? by : ""}
      placeholder={say.noConfirmation}
      titleOf={titlesOf(flow.nodes.values())}
      choices={confirmations(flow, of).map((each) => each.id)}
      disabled={disabled}
      onChange={(id) => onChange(id ? confirmation(flow, id) : undefined)}
    />
  );
}
