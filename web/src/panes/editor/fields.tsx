// The fields of a form: a text, a choice, and a value written as YAML.

import { type ReactNode, useEffect, useRef, useState } from "react";
import { parse, stringify } from "yaml";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { classes } from "../../ui";
import { visible } from "../../ui/visible";
import { words } from "./words";

/** The properties of all fields of a form. */
export interface FieldProps {
  label: string;
  /** Its name in the document. */
  name?: string;
  hint?: string;
  disabled: boolean;
  /** The text of the empty field: its default. */
  placeholder?: string | undefined;
  /** The error of its value. */
  wrong?: string | undefined;
}

interface InputProps extends FieldProps {
  value: string;
  onChange(value: string): void;
  long?: boolean;
  mono?: boolean;
  choices?: string[];
  /** What it is for, below it. */
  note?: string | undefined;
  /** Texts that can be inserted; without a name, all of them as a list. */
  insertions?: { name: string; text: string }[];
}

/** A field of several parts, with its name above. */
export function FieldFrame(props: Partial<FieldProps> & { label: string; children: ReactNode }): ReactNode {
  const { label, name, hint, wrong, children } = props;
  return (
    <div className="field" role="group" aria-label={label} title={hint}>
      <FieldName label={label} name={name} />
      {children}
      {wrong !== undefined && <span className="bad">{wrong}</span>}
    </div>
  );
}

/** A text that is taken when the field is left, or with Enter. Escape takes the former text back. */
export function TextInput({
  label,
  name,
  hint = "",
  value,
  disabled,
  onChange,
  long,
  mono,
  choices = [],
  insertions = [],
  placeholder,
  note,
  wrong,
}: InputProps): ReactNode {
  const [now, setNow] = useState(value);
  /** The caret when the field was left; null before. */
  const caret = useRef<number | null>(null);
  useEffect(() => setNow(value), [value]);
  const take = (written = now) => {
    if (written === value) return;
    try {
      onChange(written);
    } catch (error) {
      setNow(value);
      failed(error);
    }
  };
  const insert = (inserted: string) => {
    const at = caret.current ?? now.length;
    const written = `${now.slice(0, at)}${inserted}${now.slice(at)}`;
    setNow(written);
    take(written);
  };
  const common = {
    value: now,
    disabled,
    placeholder,
    "aria-label": label,
    "aria-invalid": wrong !== undefined,
    className: classes(mono && "mono", wrong !== undefined && "inspector-wrong"),
    onBlur: (event: { target: { selectionEnd: number | null } }) => {
      caret.current = event.target.selectionEnd;
      take();
    },
    onChange: (event: { target: { value: string } }) => setNow(event.target.value),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key === "Enter" && (!long || event.ctrlKey || event.metaKey)) take();
      if (event.key === "Escape") setNow(value);
    },
  };
  const list = `choices-${name ?? label}`;
  return (
    <label className="field" title={hint}>
      <FieldName label={label} name={name} />
      <span className="field-input">
        {long ? (
          <textarea rows={Math.min(10, Math.max(3, now.split("\n").length))} {...common} />
        ) : (
          <input {...common} list={choices.length > 0 ? list : undefined} spellCheck={false} />
        )}
        {insertions.length > 0 && <Insertions insertions={insertions} disabled={disabled} onInsert={insert} />}
      </span>
      {note && <small className="faint">{note}</small>}
      {wrong !== undefined && <span className="bad">{wrong}</span>}
      {!long && choices.length > 0 && (
        <datalist id={list}>
          {choices.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** The answers that can be inserted into a text: a small button in its corner while it is used. */
function Insertions(props: {
  insertions: { name: string; text: string }[];
  disabled: boolean;
  onInsert(text: string): void;
}): ReactNode {
  const say = useText(words);
  const { insertions, disabled, onInsert } = props;
  return (
    <select
      className="inspector-insert"
      aria-label={say.insertAnswer}
      title={say.insertAnswer}
      value=""
      disabled={disabled}
      onChange={(event) => onInsert(insertions[Number(event.target.value)]?.text ?? "")}
    >
      <option value="" hidden>
        {"{ }"}
      </option>
      {insertions.map(({ name }, index) => (
        <option key={index} value={index}>
          {name || say.allAnswers}
        </option>
      ))}
    </select>
  );
}

interface ChoiceProps extends InputProps {
  /** The title of a choice; without it the choice itself. */
  titleOf?: ((choice: string) => string) | undefined;
  /** Without an empty choice. */
  required?: boolean;
}

export function Choice({
  label,
  name,
  hint,
  value,
  disabled,
  choices = [],
  placeholder,
  wrong,
  titleOf = visible,
  note = "",
  required = false,
  onChange,
}: ChoiceProps): ReactNode {
  const all = value && !choices.includes(value) ? [value, ...choices] : choices;
  return (
    <label className="field" title={hint}>
      <FieldName label={label} name={name} />
      <select
        value={value}
        aria-label={label}
        aria-invalid={wrong !== undefined}
        className={classes(wrong !== undefined && "inspector-wrong")}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
      >
        {!required && <option value="">{placeholder}</option>}
        {all.map((each) => (
          <option key={each} value={each}>
            {titleOf(each)}
          </option>
        ))}
      </select>
      {note && <small className="faint">{note}</small>}
      {wrong !== undefined && <span className="bad">{wrong}</span>}
    </label>
  );
}

/** The name of a field in words, and in the document. */
export function FieldName({ label, name }: { label: string; name?: string | undefined }): ReactNode {
  return (
    <span className="field-name">
      {label}
      {name && name !== label && <code aria-hidden>{name}</code>}
    </span>
  );
}

interface YamlProps {
  label: string;
  name?: string;
  hint: string;
  value: Json | undefined;
  disabled: boolean;
  wrong?: string | undefined;
  onChange(value: Json | undefined): void;
}

/** A value with parts, written as YAML on one line or several. */
export function YamlInput({ label, name, hint, value, disabled, wrong, onChange }: YamlProps): ReactNode {
  const say = useText(words);
  const written = value === undefined ? "" : stringify(value, { lineWidth: 60 }).trimEnd();
  const [now, setNow] = useState(written);
  const [unreadable, setUnreadable] = useState("");
  useEffect(() => setNow(written), [written]);
  const take = () => {
    if (now === written) return;
    try {
      onChange(now.trim() ? (parse(now) as Json) : undefined);
      setUnreadable("");
    } catch (error) {
      setUnreadable(error instanceof Error ? (error.message.split("\n")[0] ?? "").replace(/:$/, "") : String(error));
    }
  };
  return (
    <label className="field" title={hint}>
      <FieldName label={label} name={name} />
      <textarea
        aria-label={label}
        className={classes("mono", (unreadable !== "" || wrong !== undefined) && "inspector-wrong")}
        rows={Math.min(8, Math.max(1, now.split("\n").length))}
        value={now}
        disabled={disabled}
        aria-invalid={unreadable !== "" || wrong !== undefined}
        spellCheck={false}
        onBlur={take}
        onChange={(event) => setNow(event.target.value)}
      />
      {unreadable ? (
        <span className="bad">
          {say.notYaml} <span lang="en">{visible(unreadable)}</span>
        </span>
      ) : (
        wrong !== undefined && <span className="bad">{wrong}</span>
      )}
    </label>
  );
}
