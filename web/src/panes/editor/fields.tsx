// The fields of a form: a text, a choice, and a value written as YAML.

import { type ReactNode, useEffect, useState } from "react";
import { parse, stringify } from "yaml";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { classes } from "../../ui";
import { words } from "./words";

interface InputProps {
  label: string;
  /** Its name in the document. */
  name?: string;
  hint?: string;
  value: string;
  disabled: boolean;
  onChange(value: string): void;
  long?: boolean;
  mono?: boolean;
  choices?: string[];
  /** The text of the empty field: its default. */
  placeholder?: string | undefined;
  /** The error of its value. */
  wrong?: string | undefined;
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
  placeholder,
  wrong,
}: InputProps): ReactNode {
  const [now, setNow] = useState(value);
  useEffect(() => setNow(value), [value]);
  const take = () => {
    if (now === value) return;
    try {
      onChange(now);
    } catch (error) {
      setNow(value);
      failed(error);
    }
  };
  const common = {
    value: now,
    disabled,
    placeholder,
    "aria-label": label,
    "aria-invalid": wrong !== undefined,
    className: classes(mono && "mono", wrong !== undefined && "inspector-wrong"),
    onBlur: take,
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
      {long ? (
        <textarea rows={3} {...common} />
      ) : (
        <input {...common} list={choices.length > 0 ? list : undefined} spellCheck={false} />
      )}
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

export function Choice({
  label,
  name,
  hint,
  value,
  disabled,
  choices = [],
  placeholder,
  wrong,
  onChange,
}: InputProps): ReactNode {
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
        <option value="">{placeholder}</option>
        {all.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
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
  const [unreadable, setUnreadable] = useState(false);
  useEffect(() => setNow(written), [written]);
  const take = () => {
    if (now === written) return;
    try {
      onChange(now.trim() ? (parse(now) as Json) : undefined);
      setUnreadable(false);
    } catch {
      setUnreadable(true);
    }
  };
  return (
    <label className="field" title={hint}>
      <FieldName label={label} name={name} />
      <textarea
        aria-label={label}
        className={classes("mono", (unreadable || wrong !== undefined) && "inspector-wrong")}
        rows={Math.min(8, Math.max(1, now.split("\n").length))}
        value={now}
        disabled={disabled}
        aria-invalid={unreadable || wrong !== undefined}
        spellCheck={false}
        onBlur={take}
        onChange={(event) => setNow(event.target.value)}
      />
      {unreadable ? (
        <span className="bad">{say.notYaml}</span>
      ) : (
        wrong !== undefined && <span className="bad">{wrong}</span>
      )}
    </label>
  );
}
