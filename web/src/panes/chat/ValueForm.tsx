// A field for the value of a question: violations of its schema are shown before it is sent.

import "./ValueForm.css";
import { type ReactNode, useId, useRef, useState } from "react";
import type { Json, JsonObject, WaitingFor } from "../../api";
import { numberText, useText } from "../../app/language";
import { Button } from "../../ui";
import { type Checked, type Complaint, checked, checkedPicks, picksOf, typeOf } from "./checking";
import type { Conversation } from "./session";
import { words } from "./words";
import { visible } from "../../ui/visible";

interface Props {
  waiting: WaitingFor;
  schema: JsonObject;
  session: Conversation;
}

const LIMITS = ["minLength", "maxLength", "pattern", "format"];

/** Whether a field is useful: any text can be written into the composer. */
export function wantsForm(schema: JsonObject): boolean {
  const type = typeOf(schema);
  if (type === "string") return LIMITS.some((each) => each in schema);
  return type === "integer" || type === "number" || picksOf(schema).length > 0;
}

export function ValueForm(props: Props): ReactNode {
  return picksOf(props.schema).length > 0 ? <Picks {...props} /> : <Value {...props} />;
}

function Value({ waiting, schema, session }: Props): ReactNode {
  // A value that the service refused can be corrected.
  const [text, setText] = useState(() => session.triedAt(waiting.node));
  const [touched, setTouched] = useState(false);
  const result = checked(text, schema);
  const type = typeOf(schema);
  const unit = typeof schema["x-unit"] === "string" ? schema["x-unit"] : "";
  return (
    <Form
      waiting={waiting}
      schema={schema}
      result={result}
      tells={touched && text !== ""}
      ready={text.trim() !== ""}
      onTouch={() => setTouched(true)}
      onAnswer={(value) => session.answer(value, text.trim(), { node: waiting.node, text })}
    >
      {(described) => (
        <>
          <input
            className="input"
            aria-label={waiting.prompt}
            inputMode={type === "integer" ? "numeric" : type === "number" ? "decimal" : undefined}
            type={inputType(schema)}
            autoComplete="off"
            value={text}
            {...described}
            onBlur={() => setTouched(true)}
            onChange={(event) => setText(event.target.value)}
          />
          {unit && <span className="faint">{unit}</span>}
        </>
      )}
    </Form>
  );
}

// Not `type="email"`, because the browser would replace our message.
function inputType({ format }: JsonObject): string {
  return format === "date" || format === "time"
    ? format
    : format === "date-time"
      ? "datetime-local"
      : format === "phone"
        ? "tel"
        : "text";
}

/** Several options of a list. */
function Picks({ waiting, schema, session }: Props): ReactNode {
  const say = useText(words);
  const options = picksOf(schema);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [touched, setTouched] = useState(false);
  const picked = options.filter((_, index) => chosen.has(index));
  const result = checkedPicks(
    picked.map((each) => each.value),
    schema,
  );
  const shown = picked.map((each) => each.title).join(", ") || say.none;
  return (
    <Form
      waiting={waiting}
      schema={schema}
      result={result}
      tells={touched}
      ready
      onTouch={() => setTouched(true)}
      onAnswer={(value) => session.answer(value, shown)}
    >
      {(described) => (
        <div className="choices picks" role="group" aria-label={waiting.prompt} {...described}>
          {options.map((option, index) => (
            <label key={index} className="choice">
              <input
                type="checkbox"
                checked={chosen.has(index)}
                onChange={() => {
                  const now = new Set(chosen);
                  if (!now.delete(index)) now.add(index);
                  setChosen(now);
                }}
              />
              <span>{visible(option.title)}</span>
            </label>
          ))}
        </div>
      )}
    </Form>
  );
}

interface FormProps {
  waiting: WaitingFor;
  schema: JsonObject;
  result: Checked;
  /** A message is already shown. */
  tells: boolean;
  /** There is something to send. */
  ready: boolean;
  onTouch(): void;
  onAnswer(value: Json): void;
  children(described: { "aria-invalid"?: boolean; "aria-describedby": string }): ReactNode;
}

/** The frame of a field: the description, the error, and the button. */
function Form(props: FormProps): ReactNode {
  const say = useText(words);
  const name = useId();
  const form = useRef<HTMLFormElement>(null);
  const { value, complaint } = props.result;
  const shown = props.tells ? complaint : null;
  return (
    <form
      ref={form}
      className="waiting value-form"
      aria-label={say.question}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onTouch();
        if (props.ready && !complaint && value !== undefined) props.onAnswer(value);
        else form.current?.querySelector("input")?.focus();
      }}
    >
      {props.children({ "aria-invalid": shown ? true : undefined, "aria-describedby": name })}
      <Button look="primary" type="submit" disabled={!props.ready}>
        {say.answerIt}
      </Button>
      <p id={name} className={shown ? "bad-text" : "faint"} aria-live="polite">
        {shown ? complaintText(shown, say) : wanted(props.schema, say)}
      </p>
    </form>
  );
}

type Say = (typeof words)["en"];

/** The requirements for a value, in a few words. */
function wanted(schema: JsonObject, say: Say): string {
  const limit = (...names: string[]) => names.map((each) => schema[each]).find((each) => typeof each === "number");
  const least = limit("minimum");
  const most = limit("maximum");
  const above = limit("exclusiveMinimum");
  const below = limit("exclusiveMaximum");
  const [few, many] = [limit("minItems"), limit("maxItems")];
  const parts = [
    typeof schema.description === "string" && schema.description,
    typeOf(schema) === "integer" && say.notWhole,
    least !== undefined && say.tooSmall(numberText(least, 6)),
    above !== undefined && say.notAbove(numberText(above, 6)),
    most !== undefined && say.tooLarge(numberText(most, 6)),
    below !== undefined && say.notBelow(numberText(below, 6)),
    few !== undefined && few > 0 && say.tooFew(few),
    many !== undefined && say.tooMany(many),
  ];
  return parts.filter(Boolean).join(" · ");
}

function complaintText(complaint: Complaint, say: Say): string {
  const texts: Record<Complaint["kind"], (limit: number) => string> = {
    too_small: (limit) => say.tooSmall(numberText(limit, 6)),
    too_large: (limit) => say.tooLarge(numberText(limit, 6)),
    not_above: (limit) => say.notAbove(numberText(limit, 6)),
    not_below: (limit) => say.notBelow(numberText(limit, 6)),
    no_multiple: (limit) => say.noMultiple(numberText(limit, 6)),
    too_short: say.tooShort,
    too_long: say.tooLong,
    too_few: say.tooFew,
    too_many: say.tooMany,
    not_whole: () => say.notWhole,
    not_number: () => say.notNumber,
    not_like: () => say.notLike,
    not_email: () => say.notEmail,
    not_phone: () => say.notPhone,
    not_date: () => say.notDate,
  };
  return texts[complaint.kind]("limit" in complaint ? complaint.limit : 0);
}
