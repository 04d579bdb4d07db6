// The filters of a list: words to search for, and a value to choose.

import { Search } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { Keys } from "./buttons";
import { classes } from "./classes";

interface SearchProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** The most characters that the service accepts. */
  most?: number;
  box?: RefObject<HTMLInputElement | null>;
  /** The key that leads to it, shown while it is empty. */
  keys?: string;
  /** Runs at Enter; a list that is filtered while the user types needs nothing. */
  onEnter?: () => void;
  className?: string;
}

export function SearchField({ label, value, onChange, most, box, keys, onEnter, className }: SearchProps): ReactNode {
  return (
    <span className={classes("search", className)}>
      <Search size={14} aria-hidden />
      <input
        ref={box}
        className="input"
        type="search"
        maxLength={most}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (onEnter && event.key === "Enter" && !event.nativeEvent.isComposing) onEnter();
        }}
      />
      {keys && value === "" && <Keys keys={keys} />}
    </span>
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
