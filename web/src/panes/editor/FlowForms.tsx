// The forms of a flow's channels, constraints and assurances. Each change is a command on the text, as in other forms.

import { Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Fields, type Flow, fields } from "../../flow-canvas/flow";
import { Button, IconButton } from "../../ui";
import { visible } from "../../ui/visible";
import { ExpressionInput } from "./ExpressionInput";
import { Choice, FieldFrame, type FieldProps, TextInput, YamlInput } from "./fields";
import { flowFormWords } from "./flowFormWords";
import {
  PROMISES,
  type Promised,
  TYPES,
  addConstraint,
  claimsOf,
  groupsIn,
  groupsText,
  promiseOf,
  promised,
  removeConstraint,
  removeEntry,
  setChannelType,
  unlessIn,
  unlessText,
} from "./model/flowParts";
import { readFlow } from "./model/flow";
import { setField } from "./model/commands";
import { renameChannel } from "./model/renameChannel";
import { append, setIn } from "./model/yamlEdit";
import { useNodeTitles } from "./nodeTitles";
import { Scalar } from "./Scalar";
import { useSession } from "./useSession";

interface Props extends FieldProps {
  flow: Flow;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The items of a list of records. */
const itemsOf = (value: Json | undefined): Fields[] => (Array.isArray(value) ? value.map(fields) : []);

export function ChannelsForm({ flow, ...about }: Props): ReactNode {
  const say = useText(flowFormWords);
  const session = useSession();
  const [name, setName] = useState("");
  const { disabled } = about;
  const channels = fields(flow.data.state);
  const fresh = name.trim().replaceAll(/\W/g, "_");
  const isFree = /^[A-Za-z_]/.test(fresh) && !(fresh in channels);
  const add = () => {
    if (!isFree) return;
    session.apply((now) => setIn(now, ["state", fresh], { type: "string" }));
    setName("");
  };
  const rename = (each: string, to: string) => {
    const active = readFlow(session.state.get().server.active);
    session.apply((now) => renameChannel(now, each, to, active));
  };
  return (
    <FieldFrame {...about}>
      <div className="form-rows">
        {Object.entries(channels).map(([each, channel]) => (
          <div key={each} className="form-row flow-form-row flow-channel" role="group" aria-label={visible(each)}>
            <TextInput
              label={say.name}
              value={each}
              mono
              disabled={disabled}
              onChange={(to) => rename(each, to.trim())}
            />
            <IconButton
              icon={X}
              label={say.remove(visible(each))}
              disabled={disabled}
              onClick={() => session.apply((now) => removeEntry(now, ["state", each]))}
            />
            <Channel name={each} data={fields(channel)} disabled={disabled} />
          </div>
        ))}
      </div>
      <div className="form-parameter form-parameter-new">
        <input
          aria-label={say.channelName}
          placeholder={say.channelName}
          value={name}
          disabled={disabled}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && add()}
        />
        <Button icon={Plus} disabled={disabled || !isFree} onClick={add}>
          {say.addChannel}
        </Button>
      </div>
    </FieldFrame>
  );
}

/** The type of a channel, and its value at the beginning. */
function Channel({ name, data, disabled }: { name: string; data: Fields; disabled: boolean }): ReactNode {
  const say = useText(flowFormWords);
  const session = useSession();
  const type = text(data.type);
  const value = data.default;
  const set = (to: Json | undefined) => session.apply((now) => setField(now, ["state", name], "default", to));
  const isSimple = value === undefined || value === null || typeof value !== "object";
  const scalar = { label: say.begins, value: value ?? "", options: [], placeholder: say.begins, disabled };
  const kinds: Record<string, string> = say as unknown as Record<string, string>;
  return (
    <>
      <Choice
        label={say.type}
        value={type}
        placeholder={say.asWritten}
        required={type !== ""}
        choices={[...TYPES]}
        titleOf={(each) => kinds[each] ?? each}
        disabled={disabled}
        onChange={(to) => to && session.apply((now) => setChannelType(now, name, to))}
      />
      {isSimple && type === "boolean" ? (
        <Choice
          label={say.begins}
          value={value === undefined ? "" : String(value)}
          choices={["true", "false"]}
          titleOf={(each) => (each === "true" ? say.yes : say.no)}
          disabled={disabled}
          onChange={(to) => set(to ? to === "true" : undefined)}
        />
      ) : isSimple && ["string", "number", "integer"].includes(type) ? (
        <label className="field">
          <span className="field-name">{say.begins}</span>
          <Scalar
            {...scalar}
            kind={type === "string" ? "text" : "number"}
            onChange={(to) => set(to === "" ? undefined : to)}
          />
        </label>
      ) : (
        <YamlInput label={say.begins} hint="" value={value} disabled={disabled} onChange={set} />
      )}
    </>
  );
}

export function ConstraintsForm({ flow, ...about }: Props): ReactNode {
  const say = useText(flowFormWords);
  const session = useSession();
  const { disabled } = about;
  const predicates = fields(flow.data.predicates);
  const keys = [...flow.nodes.values()].flatMap(({ data }) => text(data.key) || []);
  const set = (at: number, name: string) => (to: Json | undefined) =>
    session.apply((now) => setField(now, ["constraints", at], name, to));
  return (
    <FieldFrame {...about}>
      <div className="form-rows">
        {itemsOf(flow.data.constraints).map((each, at) => (
          <div key={at} className="form-row flow-form-row" role="group" aria-label={say.constraint(at + 1)}>
            <span className="faint">
              {say.constraint(at + 1)} {typeof each.require === "string" && <code>{visible(each.require)}</code>}
            </span>
            <IconButton
              icon={X}
              label={say.remove(say.constraint(at + 1))}
              disabled={disabled}
              onClick={() => session.apply((now) => removeConstraint(now, at))}
            />
            {typeof each.require === "string" ? (
              <ExpressionInput
                label={say.condition}
                flow={flow}
                value={text(predicates[each.require])}
                disabled={disabled}
                onChange={(to) => session.apply((now) => setIn(now, ["predicates", text(each.require)], to || "true"))}
              />
            ) : (
              <TextInput
                label={say.groups}
                hint={say.groupsHint}
                placeholder={say.groupsHint}
                value={groupsText(each.one_of)}
                long
                mono
                disabled={disabled}
                onChange={(to) => groupsIn(to).length > 0 && set(at, "one_of")(groupsIn(to))}
              />
            )}
            <TextInput
              label={say.message}
              value={text(each.message)}
              disabled={disabled}
              onChange={(to) => set(at, "message")(to || undefined)}
            />
          </div>
        ))}
      </div>
      <div className="form-row-tools">
        <Button icon={Plus} look="quiet" disabled={disabled} onClick={() => session.apply(addConstraint)}>
          {say.addCondition}
        </Button>
        <Button
          icon={Plus}
          look="quiet"
          disabled={disabled || keys.length === 0}
          onClick={() => session.apply((now) => append(now, ["constraints"], { one_of: [[keys[0] ?? ""]] }))}
        >
          {say.addGroups}
        </Button>
      </div>
    </FieldFrame>
  );
}

export function AssurancesForm({ flow, ...about }: Props): ReactNode {
  const say = useText(flowFormWords);
  const titles: Record<string, string> = say as unknown as Record<string, string>;
  const session = useSession();
  const nodeTitle = useNodeTitles(flow);
  const { disabled } = about;
  const claims = claimsOf(flow);
  const titleOf = (claim: string) => (flow.nodes.has(claim) ? nodeTitle(claim) : visible(claim));
  const first = [...flow.nodes.values()].find((each) => each.type === "action")?.id ?? claims[0];
  return (
    <FieldFrame {...about}>
      <div className="form-rows">
        {itemsOf(flow.data.assurances).map((each, at) => {
          const kind = promiseOf(each);
          const set = (name: string, to: Json | undefined) =>
            session.apply((now) => setField(now, ["assurances", at], name, to));
          return (
            <div key={at} className="form-row flow-form-row" role="group" aria-label={say.assurance(at + 1)}>
              <span className="faint">{say.assurance(at + 1)}</span>
              <IconButton
                icon={X}
                label={say.remove(say.assurance(at + 1))}
                disabled={disabled}
                onClick={() => session.apply((now) => removeEntry(now, ["assurances", at]))}
              />
              <Choice
                label={say.kind}
                value={kind}
                required
                choices={[...PROMISES]}
                titleOf={(one) => titles[one] ?? one}
                disabled={disabled}
                onChange={(to) =>
                  session.apply((now) => setIn(now, ["assurances", at], promised(each, to as Promised, claims)))
                }
              />
              <Choice
                label={say.what}
                value={text(each[kind])}
                required
                choices={claims}
                titleOf={titleOf}
                disabled={disabled}
                onChange={(to) => set(kind, to)}
              />
              {kind === "always_before" && (
                <Choice
                  label={say.comes}
                  value={text(each.comes)}
                  required
                  choices={claims}
                  titleOf={titleOf}
                  disabled={disabled}
                  onChange={(to) => set("comes", to)}
                />
              )}
              {kind === "never" && (
                <TextInput
                  label={say.unless}
                  hint={say.unlessHint}
                  placeholder={say.unlessHint}
                  value={unlessText(each.unless)}
                  long
                  mono
                  disabled={disabled}
                  onChange={(to) => set("unless", unlessIn(to))}
                />
              )}
            </div>
          );
        })}
      </div>
      <div className="form-row-tools">
        <Button
          icon={Plus}
          look="quiet"
          disabled={disabled || first === undefined}
          onClick={() => session.apply((now) => append(now, ["assurances"], { never: first ?? "" }))}
        >
          {say.addAssurance}
        </Button>
      </div>
    </FieldFrame>
  );
}
