// Small parts of a page: ages, badges, dots, lines that open, tables.

import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ago, clock } from "../app/language";
import { useNow } from "../app/time";
import { classes } from "./classes";
import { TableFrame } from "./frame";

/** The age of something, which is updated as time passes; the time itself is shown on hover. */
export function Age({ of: time }: { of: string }): ReactNode {
  return (
    <time dateTime={time} title={clock(time)}>
      {useNow(() => ago(time))}
    </time>
  );
}

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}

/** A dot with a state; the state is read out. */
export function StatusDot({ tone, label }: { tone: Tone | "busy"; label: string }): ReactNode {
  return <span className={`dot dot-${tone}`} role="img" aria-label={label} title={label} />;
}

/** A text in which the words of a search are marked. */
export function Marked({ text, letters }: { text: string; letters: string }): ReactNode {
  const at = letters ? text.toLowerCase().indexOf(letters.toLowerCase()) : -1;
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + letters.length)}</mark>
      {text.slice(at + letters.length)}
    </>
  );
}

/** A line that opens its content, which is rendered when it is first opened. */
export function Disclosure(props: {
  summary: ReactNode;
  children: () => ReactNode;
  open?: boolean;
  className?: string;
  onOpen?: () => void;
}): ReactNode {
  const [open, setOpen] = useState(props.open ?? false);
  return (
    <details
      className={classes("disclosure", props.className)}
      open={open}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        if (now && !open) props.onOpen?.();
        setOpen(now);
      }}
    >
      <summary>
        <ChevronRight size={14} className="disclosure-sign" aria-hidden />
        {props.summary}
      </summary>
      {open && <div className="disclosure-body">{props.children()}</div>}
    </details>
  );
}

const NUMBER = /^[+\-\u2212]?[\d.,\u202f' ]*\d(?:e[+-]?\d+)?\s?%?$/i;

/** Whether the cells of a column are numbers, which are aligned at their end; empty cells do not matter. */
const isNumeric = (rows: ReactNode[][], column: number): boolean => {
  const cells = rows.map((row) => row[column]).filter((cell) => cell !== "" && cell !== undefined);
  return cells.length > 0 && cells.every((cell) => typeof cell === "string" && NUMBER.test(cell));
};

interface TableProps {
  columns: string[];
  rows: ReactNode[][];
  label: string;
  /** Columns that are aligned at their end although not all of their cells are numbers. */
  numeric?: readonly number[];
}

/** A table of plain cells that scrolls sideways inside its frame. */
export function Table(props: TableProps): ReactNode {
  const look = props.columns.map((_, column) =>
    props.numeric?.includes(column) || isNumeric(props.rows, column) ? "numeric" : undefined,
  );
  return (
    <TableFrame label={props.label}>
      <table>
        <thead>
          <tr>
            {props.columns.map((name, index) => (
              <th key={index} scope="col" className={look[index]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place} className={look[place]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
