// The kind of an answer and what it allows, in words; the schema below says the same.

import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Fields, type FlowEdge, type FlowNode, fields } from "../../flow-canvas/flow";
import { Disclosure } from "../../ui";
import { Choice, type FieldProps, TextInput, YamlInput } from "./fields";
import { formWords } from "./formWords";
import { optionsOf } from "./model/guard";
import type { PartChange } from "./model/parts";
import { OptionsForm } from "./OptionsForm";
import { words } from "./words";

const ANSWERS = {
  string: "answerText",
  number: "answerNumber",
  integer: "answerWhole",
  date: "answerDate",
  boolean: "answerYesNo",
  enum: "answerChoice",
} as const;

const SCHEMAS: Record<string, Json> = { enum: { enum: ["a", "b"] }, date: { type: "string", format: "date" } };

const LIMITS = ["minimum", "maximum"] as const;

/** The rules for a date that are offered, as `validate`. */
const DAYS = {
  daysAfter: "date(value) > date(now)",
  daysFrom: "date(value) >= date(now)",
  daysBefore: "date(value) < date(now)",
} as const;

/** The parts of a schema that the form shows; a schema with others is shown as YAML. */
const SHOWN = ["type", "enum", "oneOf", "format", "minimum", "maximum", "title", "description"];

function kindOfAnswer(schema: Fields): string {
  if (optionsOf(schema)) return "enum";
  if (schema.format !== undefined) return schema.format === "date" ? "date" : "";
  if (schema.type !== undefined) return text(schema.type);
  return Object.keys(schema).every((each) => ["title", "description"].includes(each)) ? "string" : "";
}

const text = (value: Json | undefined): string => (value === undefined || value === null ? "" : String(value));

interface Props extends FieldProps {
  of: FlowNode | FlowEdge;
  /** Sets the schema. */
  set(value: Json | undefined): void;
  /** Changes a part of it. */
  change(change: PartChange): void;
  /** Sets another field of the question. */
  setField(name: string, next: Json | undefined): void;
}

export function AnswerForm({ of, set, change, setField, ...about }: Props): ReactNode {
  const say = useText(words);
  const forms = useText(formWords);
  const { disabled } = about;
  const schema = fields(of.data.schema);
  const isYes = of.data.read === "confirm";
  // Without a type, the answer to such a question is true, false or a text.
  const kind = isYes && schema.type === undefined ? "boolean" : kindOfAnswer(schema);
  const isShown = kind in ANSWERS && Object.keys(schema).every((each) => SHOWN.includes(each));
  const setPart = (part: string, to: Json | undefined) => change({ set: ["schema", part], to });
  const limit = (name: (typeof LIMITS)[number], written: string) => {
    const next = written.trim() ? Number(written) : undefined;
    if (Number.isNaN(next)) throw new Error(written);
    setPart(name, next);
  };
  const raw = <YamlInput {...about} hint={about.hint ?? ""} value={of.data.schema} onChange={set} />;
  return (
    <>
      <AnswerKind schema={schema} kind={kind} disabled={disabled} onChange={set} />
      {["integer", "number"].includes(kind) && (
        <div className="inspector-limits">
          {LIMITS.map((each) => (
            <TextInput
              key={each}
              label={say[each]}
              value={text(schema[each])}
              disabled={disabled}
              onChange={(next) => limit(each, next)}
            />
          ))}
        </div>
      )}
      {kind === "enum" && <OptionsForm schema={schema} disabled={disabled} change={change} />}
      {kind === "date" && <Days value={of.data.validate} disabled={disabled} onChange={setField} />}
      {!isYes && (
        <TextInput
          label={forms.meaning}
          value={text(schema.description)}
          disabled={disabled}
          onChange={(next) => {
            const isLast = !next && Object.keys(schema).every((each) => each === "description");
            if (isLast) set(undefined);
            else setPart("description", next || undefined);
          }}
        />
      )}
      {isShown && about.wrong === undefined ? <Disclosure summary={forms.asSchema}>{() => raw}</Disclosure> : raw}
    </>
  );
}

function Days(props: {
  value: Json | undefined;
  disabled: boolean;
  onChange(name: string, next: string | undefined): void;
}): ReactNode {
  const say = useText(words);
  const { value, disabled, onChange } = props;
  const rules = Object.entries(DAYS).map(([name, rule]) => ({ title: say[name as keyof typeof DAYS], rule }));
  const known = rules.find((each) => each.rule === value)?.title;
  return (
    <Choice
      label={say.days}
      value={known ?? (value === undefined ? "" : say.daysOther)}
      placeholder={say.daysAll}
      choices={rules.map((each) => each.title)}
      disabled={disabled}
      onChange={(title) => onChange("validate", rules.find((each) => each.title === title)?.rule)}
    />
  );
}

function AnswerKind(props: {
  schema: Fields;
  kind: string;
  disabled: boolean;
  onChange(value: Json): void;
}): ReactNode {
  const { schema, kind, disabled, onChange } = props;
  const say = useText(words);
  const kinds = Object.entries(ANSWERS).map(([name, word]) => ({ name, title: say[word] }));
  const choose = (title: string) => {
    const next = kinds.find((each) => each.title === title)?.name;
    const kept = "description" in schema ? { description: schema.description } : {};
    if (next) onChange({ ...fields(SCHEMAS[next] ?? { type: next }), ...kept } as Json);
  };
  return (
    <Choice
      label={say.answerKind}
      value={kinds.find((each) => each.name === kind)?.title ?? ""}
      placeholder={say.answerOther}
      choices={kinds.map((each) => each.title)}
      disabled={disabled}
      onChange={choose}
    />
  );
}
