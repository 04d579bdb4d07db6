// The choice of the icon of an agent.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { fields } from "../../flow-canvas/flow";
import { AGENT_ICONS } from "../chat/agentLook";
import { FieldName } from "./fields";
import { setIn } from "./model/yamlEdit";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

/** The icon of the agent, which the flow names in `ui`. */
export function IconChoice({ disabled }: { disabled: boolean }): ReactNode {
  const session = useSession();
  const { shown } = useSessionState();
  const say = useText(words);
  const { icon } = fields(shown?.data.ui);
  const choose = (name: string) => session.apply((now) => (name === icon ? now : setIn(now, ["ui", "icon"], name)));
  return (
    <div className="field">
      <FieldName label={say.icon} name="ui.icon" />
      <div className="icon-choice" role="group" aria-label={say.icon}>
        {Object.entries(AGENT_ICONS).map(([name, Icon]) => (
          <button
            key={name}
            type="button"
            aria-label={name}
            title={name}
            aria-pressed={name === icon}
            disabled={disabled}
            onClick={() => choose(name)}
          >
            <Icon size={16} aria-hidden />
          </button>
        ))}
      </div>
    </div>
  );
}
