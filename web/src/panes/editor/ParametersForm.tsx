// The parameters of an action: a field for each text, a group for each record, and lists as YAML.

import { Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { visible } from "../../ui/visible";
import { type Fields, fields, type FlowNode, type Flow } from "../../flow-canvas/flow";
import { Button, IconButton } from "../../ui";
import { Choice, FieldFrame, type FieldProps, TextInput, YamlInput } from "./fields";
import { formWords } from "./formWords";
import { answersFor } from "./model/answers";
import type { PartChange } from "./model/parts";
import { Scalar } from "./Scalar";

interface Props extends FieldProps {
  of: FlowNode;
  flow: Flow;
  /** The place of the record in the node. */
  path: readonly string[];
  value: Fields;
  change(change: PartChange): void;
}

const isRecord = (value: Json): boolean => value !== null && typeof value === "object" && !Array.isArray(value);

export function ParametersForm({ of, flow, path, value, change, ...about }: Props): ReactNode {
  const say = useText(formWords);
  const [name, setName] = useState("");
  const { disabled } = about;
  const names = Object.keys(value);
  const set = (key: string, to: Json | undefined) =>
    // A record without anything is none.
    change(to === undefined && names.length === 1 ? { set: path, to } : { set: [...path, key], to });
  const fresh = name.trim();
  const add = () => {
    if (!fresh || names.includes(fresh)) return;
    change({ set: [...path, fresh], to: "" });
    setName("");
  };
  const input = (key: string, now: Json) => {
    if (isRecord(now) && path.length < 3)
      return (
        <ParametersForm
          {...{ of, flow, change, disabled }}
          label={visible(key)}
          path={[...path, key]}
          value={fields(now)}
        />
      );
    if (typeof now === "string" && key === "into" && path.length === 1)
      return (
        <Choice
          label={visible(key)}
          value={now}
          choices={Object.keys(fields(flow.data.state))}
          disabled={disabled}
          required={now !== ""}
          onChange={(to) => set(key, to)}
        />
      );
    if (typeof now === "string")
      return (
        <TextInput
          label={visible(key)}
          value={now}
          disabled={disabled}
          long={now.length > 44 || now.includes("\n")}
          insertions={answersFor(flow, of)}
          onChange={(to) => set(key, to)}
        />
      );
    if (now !== null && typeof now !== "object")
      return (
        <FieldFrame label={visible(key)}>
          <Scalar
            label={visible(key)}
            value={now}
            kind={typeof now === "boolean" ? "boolean" : "number"}
            options={[]}
            disabled={disabled}
            onChange={(to) => set(key, to)}
          />
        </FieldFrame>
      );
    return <YamlInput label={visible(key)} hint="" value={now} disabled={disabled} onChange={(to) => set(key, to)} />;
  };
  return (
    <FieldFrame {...about}>
      <div className="form-parameters">
        {Object.entries(value).map(([key, now]) => (
          <div key={key} className="form-parameter">
            {input(key, now)}
            <IconButton
              icon={X}
              label={say.removeParameter(visible(key))}
              disabled={disabled}
              onClick={() => set(key, undefined)}
            />
          </div>
        ))}
        <div className="form-parameter form-parameter-new">
          <input
            aria-label={say.parameterName}
            placeholder={say.parameterName}
            value={name}
            disabled={disabled}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && add()}
          />
          <Button icon={Plus} disabled={disabled || !fresh || names.includes(fresh)} onClick={add}>
            {say.add}
          </Button>
        </div>
      </div>
    </FieldFrame>
  );
}
