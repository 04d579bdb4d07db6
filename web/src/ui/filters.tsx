// The filters of a list: words to search for, and a value to choose.

import type { ReactNode, RefObject } from "react";
import { classes } from "./classes";

interface SearchProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** The most characters that the service accepts. */
  most?: number;
  box?: RefObject<HTMLInputElement | null>;
  className?: string;
}

export function SearchField({ label, value, onChange, most, box, className }: SearchProps): ReactNode {
  return (
    <input
      ref={box}
      className={classes("input", className)}
      type="search"
      maxLength={most}
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface FilterProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** The title of the empty value, which limits nothing. */
  any: string;
  /** The other values, with their titles. */
  choices: readonly (readonly [value: string, title: string])[];
}

export function FilterSelect({ label, value, onChange, any, choices }: FilterProps): ReactNode {
  return (
    <select className="input" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{any}</option>
      {choices.map(([each, title]) => (
        <option key={each} value={each}>
          {title}
        </option>
      ))}
    </select>
  );
}
