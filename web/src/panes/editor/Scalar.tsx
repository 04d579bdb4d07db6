// A single value in a row of a form.

import { type ReactNode, useEffect, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { visible } from "../../ui/visible";
import { formWords } from "./formWords";
import type { Option, Subject } from "./model/guard";

interface ScalarProps {
  label: string;
  value: Json;
  kind: Subject["kind"];
  options: readonly Option[];
  placeholder?: string;
  disabled: boolean;
  onChange(value: Json): void;
}

/** A single value without a name above it: a choice, a number or a text. */
export function Scalar({ label, value, kind, options, placeholder, disabled, onChange }: ScalarProps): ReactNode {
  const say = useText(formWords);
  const written = String(value ?? "");
  const [now, setNow] = useState(written);
  useEffect(() => setNow(written), [written]);
  const choices =
    kind === "boolean" ? [true, false].map((each) => ({ value: each, title: each ? say.yes : say.no })) : options;
  if (choices.length > 0) {
    const at = choices.findIndex((each) => each.value === value);
    return (
      <select
        className="form-scalar"
        aria-label={label}
        value={at}
        disabled={disabled}
        onChange={(event) => onChange(choices[Number(event.target.value)]?.value ?? null)}
      >
        {at < 0 && <option value={-1}>{visible(written)}</option>}
        {choices.map((each, index) => (
          <option key={index} value={index}>
            {visible(each.title)}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = kind === "number" || kind === "integer";
  const take = () => {
    const number = Number(now);
    if (now === written) return;
    if (!isNumber) onChange(now);
    else if (now.trim() && !Number.isNaN(number)) onChange(number);
    else setNow(written);
  };
  return (
    <input
      className="form-scalar"
      aria-label={label}
      inputMode={isNumber ? "decimal" : undefined}
      value={now}
      placeholder={placeholder}
      disabled={disabled}
      onBlur={take}
      onChange={(event) => setNow(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
        if (event.key === "Escape") setNow(written);
      }}
    />
  );
}
