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
  hint?: string;
  value: string;
  disabled: boolean;
  onChange(value: string): void;
  long?: boolean;
  mono?: boolean;
  choices?: string[];
}

/** A text that is taken when the field is left, or with Enter. Escape takes the former text back. */
export function TextInput({
  label,
  hint = "",
  value,
  disabled,
  onChange,
  long,
  mono,
  choices = [],
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
    "aria-label": label,
    className: mono ? "mono" : undefined,
    onBlur: take,
    onChange: (event: { target: { value: string } }) => setNow(event.target.value),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key === "Enter" && (!long || event.ctrlKey || event.metaKey)) take();
      if (event.key === "Escape") setNow(value);
    },
  };
  const list = `choices-${label}`;
  return (
    <label className="field" title={hint}>
      <span>{label}</span>
      {long ? (
        <textarea rows={3} {...common} />
      ) : (
        <input {...common} list={choices.length > 0 ? list : undefined} spellCheck={false} />
      )}
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

export function Choice({ label, hint, value, disabled, choices = [], onChange }: InputProps): ReactNode {
  const all = value && !choices.includes(value) ? [value, ...choices] : choices;
  return (
    <label className="field" title={hint}>
      <span>{label}</span>
      <select value={value} disabled={disabled} onChange={(event) => onChange(event.target.value)}>
        <option value="" />
        {all.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

interface YamlProps {
  label: string;
  hint: string;
  value: Json | undefined;
  disabled: boolean;
  onChange(value: Json | undefined): void;
}

/** A value with parts, written as YAML on one line or several. */
export function YamlInput({ label, hint, value, disabled, onChange }: YamlProps): ReactNode {
  const say = useText(words);
  const written = value === undefined ? "" : stringify(value, { lineWidth: 60 }).trimEnd();
  const [now, setNow] = useState(written);
  const [wrong, setWrong] = useState(false);
  useEffect(() => setNow(written), [written]);
  const take = () => {
    if (now === written) return;
    try {
      onChange(now.trim() ? (parse(now) as Json) : undefined);
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <label className="field" title={hint}>
      <span>{label}</span>
      <textarea
        className={classes("mono", wrong && "inspector-wrong")}
        rows={Math.min(8, Math.max(1, now.split("\n").length))}
        value={now}
        disabled={disabled}
        aria-invalid={wrong}
        spellCheck={false}
        onBlur={take}
        onChange={(event) => setNow(event.target.value)}
      />
      {wrong && <span className="bad">{say.notYaml}</span>}
    </label>
  );
}
