// A field for the value of a question: violations of its schema are shown before it is sent.

import "./ValueForm.css";
import { type FormEvent, type ReactNode, useId } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { JsonObject, WaitingFor } from "../../api";
import { useText } from "../../app/language";
import { Button } from "../../ui";
import { type Checked, checked, checkedPicks, picksOf, typeOf } from "./checking";
import type { Conversation } from "./session";
import { complaintText, wanted } from "./valueWords";
import { words } from "./words";
import { visible } from "../../ui/visible";

interface Props {
  waiting: WaitingFor;
  schema: JsonObject;
  session: Conversation;
}

export default function ValueForm(props: Props): ReactNode {
  return picksOf(props.schema).length > 0 ? <Picks {...props} /> : <Value {...props} />;
}

/** The rule of a field: the first complaint about its value, as text. */
const rule =
  <T,>(check: (value: T) => Checked, say: (typeof words)["en"]) =>
  (value: T): string | true => {
    const { complaint } = check(value);
    return complaint ? complaintText(complaint, say) : true;
  };

function Value({ waiting, schema, session }: Props): ReactNode {
  const say = useText(words);
  const { register, handleSubmit, formState, control, setFocus } = useForm<{ text: string }>({
    mode: "onTouched",
    // A value that the service refused can be corrected.
    defaultValues: { text: session.triedAt(waiting.node) },
  });
  const text = useWatch({ control, name: "text" });
  const type = typeOf(schema);
  const unit = typeof schema["x-unit"] === "string" ? schema["x-unit"] : "";
  const isRefused = text !== "" && text === session.triedAt(waiting.node);
  const problem =
    text === "" ? undefined : (formState.errors.text?.message ?? (isRefused ? say.notAccepted : undefined));
  const described = useId();
  return (
    <Form
      schema={schema}
      problem={problem}
      ready={text.trim() !== ""}
      described={described}
      onSubmit={handleSubmit(
        ({ text }) => {
          const { value } = checked(text, schema);
          if (value !== undefined) void session.answer(value, text.trim(), { node: waiting.node, text });
        },
        () => setFocus("text"),
      )}
    >
      <input
        className="input"
        aria-label={waiting.prompt}
        inputMode={type === "integer" ? "numeric" : type === "number" ? "decimal" : undefined}
        type={inputType(schema)}
        autoComplete="off"
        aria-invalid={problem ? true : undefined}
        aria-describedby={described}
        {...register("text", { validate: rule((value: string) => checked(value, schema), say) })}
      />
      {unit && <span className="faint">{unit}</span>}
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
  const pickedOf = (chosen: readonly string[]) => options.filter((_, index) => chosen.includes(String(index)));
  const { register, handleSubmit, formState } = useForm<{ chosen: string[] }>({
    mode: "onSubmit",
    reValidateMode: "onChange",
    defaultValues: { chosen: [] },
  });
  const check = (chosen: string[]) =>
    checkedPicks(
      pickedOf(chosen).map((each) => each.value),
      schema,
    );
  const problem = formState.errors.chosen?.message;
  const described = useId();
  return (
    <Form
      schema={schema}
      problem={problem}
      ready
      described={described}
      onSubmit={handleSubmit(({ chosen }) => {
        const { value } = check(chosen);
        const titles = pickedOf(chosen).map((each) => each.title);
        if (value !== undefined) void session.answer(value, titles.join(", ") || say.none);
      })}
    >
      <div className="choices picks" role="group" aria-label={waiting.prompt} aria-describedby={described}>
        {options.map((option, index) => (
          <label key={index} className="choice">
            <input
              type="checkbox"
              value={String(index)}
              {...register("chosen", { validate: rule((chosen: string[]) => check(chosen), say) })}
            />
            <span>{visible(option.title)}</span>
          </label>
        ))}
      </div>
    </Form>
  );
}

interface FormProps {
  schema: JsonObject;
  /** The violated rule, as text. */
  problem: string | undefined;
  /** There is something to send. */
  ready: boolean;
  /** The id of the description. */
  described: string;
  onSubmit(event: FormEvent): void;
  children: ReactNode;
}

/** The frame of a field: the description, the error, and the button. */
function Form(props: FormProps): ReactNode {
  const say = useText(words);
  return (
    <form className="waiting value-form" aria-label={say.question} noValidate onSubmit={props.onSubmit}>
      {props.children}
      <Button look="primary" type="submit" disabled={!props.ready}>
        {say.answerIt}
      </Button>
      <p id={props.described} className={props.problem ? "bad-text" : "faint"} aria-live="polite">
        {props.problem ?? wanted(props.schema, say)}
      </p>
    </form>
  );
}
