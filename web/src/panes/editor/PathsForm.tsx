// The form of a flow's paths: the subgraphs among which `$active_path` chooses.

import { Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Flow, fields } from "../../flow-canvas/flow";
import { Button, IconButton } from "../../ui";
import { visible } from "../../ui/visible";
import { Choice, FieldFrame, type FieldProps, TextInput } from "./fields";
import { flowFormWords } from "./flowFormWords";
import { setField } from "./model/commands";
import { removeEntry } from "./model/flowParts";
import { setIn } from "./model/yamlEdit";
import { useSession } from "./useSession";

interface Props extends FieldProps {
  flow: Flow;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export function PathsForm({ flow, ...about }: Props): ReactNode {
  const say = useText(flowFormWords);
  const session = useSession();
  const [name, setName] = useState("");
  const { disabled } = about;
  const paths = fields(flow.data.paths);
  const subgraphs = fields(flow.data.subgraphs);
  const [first] = Object.keys(subgraphs);
  const titleOf = (id: string) => visible(text(fields(subgraphs[id]).title) || id);
  const fresh = name.trim().replaceAll(/\W/g, "_");
  const isFree = /^[A-Za-z_]/.test(fresh) && !(fresh in paths) && first !== undefined;
  const add = () => {
    if (!isFree) return;
    session.apply((now) => setIn(now, ["paths", fresh], { ref: first, description: name.trim() }));
    setName("");
  };
  return (
    <FieldFrame {...about}>
      <div className="form-rows">
        {Object.entries(paths).map(([each, path]) => {
          const set = (field: string) => (to: string) =>
            to && session.apply((now) => setField(now, ["paths", each], field, to));
          return (
            <div key={each} className="form-row flow-form-row" role="group" aria-label={visible(each)}>
              <code className="cut">{visible(each)}</code>
              <IconButton
                icon={X}
                label={say.remove(visible(each))}
                disabled={disabled}
                onClick={() => session.apply((now) => removeEntry(now, ["paths", each]))}
              />
              <Choice
                label={say.subgraph}
                value={text(fields(path).ref)}
                required
                choices={Object.keys(subgraphs)}
                titleOf={titleOf}
                disabled={disabled}
                onChange={set("ref")}
              />
              <TextInput
                label={say.pathDescription}
                hint={say.pathDescriptionHint}
                value={text(fields(path).description)}
                disabled={disabled}
                onChange={set("description")}
              />
            </div>
          );
        })}
      </div>
      <div className="form-parameter form-parameter-new">
        <input
          aria-label={say.pathName}
          placeholder={first === undefined ? say.needsSubgraph : say.pathName}
          value={name}
          disabled={disabled || first === undefined}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && add()}
        />
        <Button icon={Plus} disabled={disabled || !isFree} onClick={add}>
          {say.addPath}
        </Button>
      </div>
    </FieldFrame>
  );
}
