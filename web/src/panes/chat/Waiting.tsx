// What the conversation waits for: an approval, a choice, a value, or a yes or no.

import { CircleHelp } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { Json, WaitingFor } from "../../api";
import { useMayWrite } from "../../app/access";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { Button, Keys } from "../../ui";
import { Approval } from "./Approval";
import { type Complaint, checked } from "./checking";
import type { Conversation } from "./session";
import { words } from "./words";

interface Props {
  waiting: WaitingFor;
  session: Conversation;
  /** The user wants to say in words what should be different. */
  onChange(): void;
}

export function Waiting({ waiting, session, onChange }: Props): ReactNode {
  const mayWrite = useMayWrite();
  if (waiting.kind === "message") return null;
  if (waiting.approval)
    return <Approval approval={waiting.approval} prompt={waiting.prompt} session={session} onChange={onChange} />;
  if (!mayWrite) return null;
  if (waiting.kind === "confirm") return <YesNo session={session} />;
  if (waiting.options.length > 0) return <Choice waiting={waiting} session={session} />;
  if (waiting.schema && ["integer", "number", "boolean", "string"].includes(String(waiting.schema.type)))
    return <Value waiting={waiting} session={session} />;
  return null;
}

function YesNo({ session }: { session: Conversation }): ReactNode {
  const say = useText(words);
  const answer = (value: boolean) => void session.answer(value, value ? say.yes : say.no);
  return (
    <section className="waiting" aria-label={say.question}>
      <div className="waiting-actions">
        <Button onClick={() => answer(true)}>{say.yes}</Button>
        <Button onClick={() => answer(false)}>{say.no}</Button>
      </div>
    </section>
  );
}

function Choice({ waiting, session }: { waiting: WaitingFor; session: Conversation }): ReactNode {
  const say = useText(words);
  const choose = (value: Json, title: string) => void session.answer(value, title);
  useCommands(
    waiting.options.slice(0, 9).map((option, index) => ({
      id: `choice.${index}`,
      group: say.choose,
      title: option.title,
      keys: String(index + 1),
      run: () => choose(option.value, option.title),
    })),
  );
  return (
    <section className="waiting" aria-label={say.choose}>
      <div className="choices" role="group" aria-label={waiting.prompt}>
        {waiting.options.map((option, index) => (
          <button key={index} type="button" className="choice" onClick={() => choose(option.value, option.title)}>
            {index < 9 && <Keys keys={String(index + 1)} />}
            <span>{option.title}</span>
          </button>
        ))}
      </div>
    </section>
  );
}

/** A field for a value with a type; what the schema forbids is said before it is sent. */
function Value({ waiting, session }: { waiting: WaitingFor; session: Conversation }): ReactNode {
  const say = useText(words);
  const schema = waiting.schema ?? {};
  const [text, setText] = useState("");
  const [touched, setTouched] = useState(false);
  const name = useId();
  const { value, complaint } = checked(text, schema);
  if (schema.type === "boolean") return <YesNo session={session} />;
  const numeric = schema.type === "integer" || schema.type === "number";
  const unit = typeof schema["x-unit"] === "string" ? schema["x-unit"] : "";
  const shown = touched && text !== "" ? complaint : null;
  return (
    <form
      className="waiting value-form"
      aria-label={say.question}
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (text !== "" && !complaint && value !== undefined) void session.answer(value, text);
      }}
    >
      <CircleHelp size={15} aria-hidden />
      <input
        className="input"
        aria-label={waiting.prompt}
        aria-invalid={shown !== null}
        aria-describedby={shown ? name : undefined}
        inputMode={numeric ? "decimal" : undefined}
        type={schema.format === "date" ? "date" : schema.format === "email" ? "email" : "text"}
        value={text}
        onBlur={() => setTouched(true)}
        onChange={(event) => setText(event.target.value)}
      />
      {unit && <span className="faint">{unit}</span>}
      <Button look="primary" type="submit" disabled={text === ""}>
        {say.answerIt}
      </Button>
      {shown && (
        <p id={name} className="bad-text">
          {complaintText(shown, say)}
        </p>
      )}
    </form>
  );
}

function complaintText(complaint: Complaint, say: (typeof words)["en"]): string {
  switch (complaint.kind) {
    case "too_small":
      return say.tooSmall(String(complaint.limit));
    case "too_large":
      return say.tooLarge(String(complaint.limit));
    case "too_short":
      return say.tooShort(complaint.limit);
    case "too_long":
      return say.tooLong(complaint.limit);
    case "not_whole":
      return say.notWhole;
    case "not_number":
      return say.notNumber;
    case "not_like":
      return say.notLike;
  }
}
