// The options of a choice: their values, and what the user sees of them.

import { Plus, X } from "lucide-react";
import { type ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Fields, fields } from "../../flow-canvas/flow";
import { Button, IconButton } from "../../ui";
import { FieldFrame } from "./fields";
import { formWords } from "./formWords";
import { type Option, optionsOf } from "./model/guard";
import type { PartChange } from "./model/parts";
import { Scalar } from "./Scalar";

interface Props {
  schema: Fields;
  disabled: boolean;
  change(change: PartChange): void;
}

/** A choice of the written form: a constant, with what it is called if that is something else. */
const constant = ({ value, title, description }: Option): Fields => ({
  const: value,
  ...(title && title !== String(value) ? { title } : {}),
  ...(description ? { description } : {}),
});

export function OptionsForm({ schema, disabled, change }: Props): ReactNode {
  const say = useText(formWords);
  const options = optionsOf(schema) ?? [];
  const isPlain = Array.isArray(schema.enum);
  const records = Array.isArray(schema.oneOf) ? schema.oneOf.map(fields) : [];
  const list = ["schema", isPlain ? "enum" : "oneOf"];
  /** Sets a text that users see; plain values become records with it. */
  const describe = (index: number, part: "title" | "description", to: string) => {
    if (!isPlain) change({ set: [...list, index, part], to: to || undefined });
    else if (to) {
      const named = options.map((each, at) => constant(at === index ? { ...each, [part]: to } : each));
      change({ rename: list, name: "oneOf", to: named });
    }
  };
  const setValue = (index: number, to: Json) => {
    if (to !== "") change({ set: isPlain ? [...list, index] : [...list, index, "const"], to });
  };
  const add = () => {
    const values = options.map((each) => each.value);
    const isNumbers = values.length > 0 && values.every((each) => typeof each === "number");
    let number = options.length + 1;
    const next = (): Json => (isNumbers ? number : `option_${number}`);
    while (values.includes(next())) number += 1;
    change({ add: list, item: isPlain ? next() : constant({ value: next(), title: "" }) });
  };
  return (
    <FieldFrame label={say.options}>
      <div className="form-rows">
        {options.map(({ value, description = "" }, index) => {
          const title = records[index]?.title;
          return (
            <div key={index} className="form-row form-option" role="group" aria-label={say.option(index + 1)}>
              <label>
                <span>{say.value}</span>
                <Scalar
                  label={say.value}
                  value={value}
                  kind={typeof value === "number" ? "number" : "text"}
                  options={[]}
                  disabled={disabled}
                  onChange={(to) => setValue(index, to)}
                />
              </label>
              <label>
                <span>{say.shownAs}</span>
                <Scalar
                  label={say.shownAs}
                  value={typeof title === "string" ? title : ""}
                  kind="text"
                  options={[]}
                  placeholder={String(value)}
                  disabled={disabled}
                  onChange={(to) => describe(index, "title", String(to))}
                />
              </label>
              <IconButton
                icon={X}
                label={say.removeOption}
                disabled={disabled || options.length < 2}
                onClick={() => change({ set: [...list, index], to: undefined })}
              />
              <Scalar
                label={say.optionMeaning}
                value={description}
                kind="text"
                options={[]}
                placeholder={say.optionMeaning}
                disabled={disabled}
                onChange={(to) => describe(index, "description", String(to))}
              />
            </div>
          );
        })}
      </div>
      <div className="form-row-tools">
        <Button icon={Plus} look="quiet" disabled={disabled} onClick={add}>
          {say.addOption}
        </Button>
      </div>
    </FieldFrame>
  );
}
