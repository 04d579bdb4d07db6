// The forms of a confirmation, a loop over a list, and retries.

import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { readable } from "../../app/readable";
import { fields, type Flow, type FlowNode } from "../../flow-canvas/flow";
import { ConfirmedBy } from "./ConfirmedBy";
import { ExpressionInput } from "./ExpressionInput";
import { Choice, FieldFrame, TextInput } from "./fields";
import { formWords } from "./formWords";
import type { PartChange } from "./model/parts";
import { useSessionState } from "./useSession";

export interface ActionFormProps {
  of: FlowNode;
  flow: Flow;
  disabled: boolean;
  wrong: string | undefined;
  change(change: PartChange): void;
}

const text = (value: Json | undefined): string => (value === undefined || value === null ? "" : String(value));
const nameOf = (name: string): string => readable(name.replace(/^answers\./, "").replaceAll(".", " "));

/** The answers and channels that the compiler knows, with their types. */
function useNames(): { name: string; type: string }[] {
  const { checked } = useSessionState();
  return checked?.names.filter((each) => each.kind !== "predicate") ?? [];
}

export function ConfirmForm({ of, flow, disabled, wrong, change }: ActionFormProps): ReactNode {
  const say = useText(formWords);
  const names = useNames();
  const { by, over, when } = fields(of.data.confirm);
  const chosen = Array.isArray(over) ? over.map(text) : [];
  // The answer that is the yes cannot be what it is about.
  const yes = `answers.${text(flow.nodes.get(text(by))?.data.key)}`;
  const known = names.map((each) => each.name).filter((each) => each !== yes && !chosen.includes(each));
  const toggle = (name: string) => {
    const at = chosen.indexOf(name);
    if (at < 0) change({ add: ["confirm", "over"], item: name });
    else change({ set: ["confirm", "over", at], to: undefined });
  };
  return (
    <>
      <ConfirmedBy of={of} flow={flow} disabled={disabled} onChange={(to) => change({ set: ["confirm"], to })} />
      {of.data.confirm !== undefined && (
        <>
          <FieldFrame label={say.covers} name="confirm.over" wrong={wrong}>
            <div className="form-checks">
              {[...chosen, ...known].map((name) => (
                <label key={name} title={name}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(name)}
                    disabled={disabled || (chosen.length === 1 && chosen.includes(name))}
                    onChange={() => toggle(name)}
                  />
                  <span>{nameOf(name)}</span>
                  <code>{name}</code>
                </label>
              ))}
            </div>
          </FieldFrame>
          <ExpressionInput
            label={say.confirmWhen}
            name="confirm.when"
            placeholder={say.confirmAlways}
            flow={flow}
            value={text(when)}
            disabled={disabled}
            onChange={(to) => change({ set: ["confirm", "when"], to: to || undefined })}
          />
        </>
      )}
    </>
  );
}

const MAP_PARTS = ["as", "result", "into", "errors", "at_once"] as const;

export function MapForm({ of, disabled, wrong, change }: ActionFormProps): ReactNode {
  const say = useText(formWords);
  const names = useNames();
  const map = fields(of.data.map);
  const lists = names.filter((each) => each.type.includes("array") || each.type.includes("list"));
  return (
    <>
      <Choice
        label={say.forEach}
        name="map.over"
        value={text(map.over)}
        placeholder={say.runsOnce}
        choices={(lists.length > 0 ? lists : names).map((each) => each.name)}
        titleOf={nameOf}
        wrong={wrong}
        disabled={disabled}
        onChange={(to) => {
          if (!to) change({ set: ["map"], to: undefined });
          else if (of.data.map === undefined) change({ set: ["map"], to: { over: to, as: "item" } });
          else change({ set: ["map", "over"], to });
        }}
      />
      {of.data.map !== undefined && (
        <div className="form-group">
          {MAP_PARTS.map((part) => (
            <TextInput
              key={part}
              label={say[part]}
              name={`map.${part}`}
              value={text(map[part])}
              mono
              disabled={disabled}
              onChange={(written) => {
                const to = part === "at_once" && written.trim() ? Number(written) : written.trim();
                if (Number.isNaN(to)) throw new Error(written);
                change({ set: ["map", part], to: to === "" ? undefined : to });
              }}
            />
          ))}
        </div>
      )}
    </>
  );
}

export function RetryForm({ of, disabled, wrong, change }: ActionFormProps): ReactNode {
  const say = useText(formWords);
  const retry = fields(of.data.retry);
  return (
    <FieldFrame label={say.retry} name="retry" wrong={wrong}>
      <div className="inspector-limits">
        {(["attempts", "backoff"] as const).map((part) => (
          <TextInput
            key={part}
            label={say[part]}
            value={text(retry[part])}
            disabled={disabled}
            onChange={(written) => {
              const to = written.trim() ? Number(written) : undefined;
              if (Number.isNaN(to)) throw new Error(written);
              const isLast = to === undefined && Object.keys(retry).every((each) => each === part);
              change(isLast ? { set: ["retry"], to } : { set: ["retry", part], to });
            }}
          />
        ))}
      </div>
    </FieldFrame>
  );
}
