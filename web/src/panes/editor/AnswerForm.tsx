// The kind of an answer and what it allows, in words; the schema below says the same.

import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { type Fields, type FlowEdge, type FlowNode, fields } from "../../flow-canvas/flow";
import { Choice, TextInput } from "./fields";
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

const kindOfAnswer = (schema: Fields): string =>
  Array.isArray(schema.enum) ? "enum" : schema.format === "date" ? "date" : text(schema.type);

const text = (value: Json | undefined): string => (value === undefined || value === null ? "" : String(value));

interface Props {
  of: FlowNode | FlowEdge;
  disabled: boolean;
  /** Sets the schema. */
  set(value: Json): void;
  /** Sets a part of a field. */
  setPart(field: string, part: string, next: Json | undefined): void;
  /** Sets another field of the question. */
  setField(name: string, next: Json | undefined): void;
}

export function AnswerForm({ of, disabled, set, setPart, setField }: Props): ReactNode {
  const say = useText(words);
  const schema = fields(of.data.schema);
  const kind = kindOfAnswer(schema);
  const limit = (name: (typeof LIMITS)[number], written: string) => {
    const next = written.trim() ? Number(written) : undefined;
    if (Number.isNaN(next)) throw new Error(written);
    setPart("schema", name, next);
  };
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
      {kind === "enum" && isTexts(schema.enum) && (
        <TextInput
          label={say.answerOptions}
          value={schema.enum.join("\n")}
          long
          placeholder={say.oneInALine}
          disabled={disabled}
          onChange={(next) => {
            const written = next.split("\n").flatMap((each) => each.trim() || []);
            if (written.length > 0) setPart("schema", "enum", written);
          }}
        />
      )}
      {kind === "date" && <Days value={of.data.validate} disabled={disabled} onChange={setField} />}
    </>
  );
}

const isTexts = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

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
