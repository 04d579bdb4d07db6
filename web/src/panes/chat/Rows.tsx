// A table of an answer: it can be widened beyond the column of the text, and copied as CSV.

import { ChevronsLeftRight, ChevronsRightLeft } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { texts, useText } from "../../app/language";
import { CopyButton, IconButton, classes } from "../../ui";
import { TableFrame } from "../../ui/frame";
import { csvText } from "./csv";

const words = texts({
  table: ["Table", "Tabelle"],
  wide: ["Widen the table", "Tabelle verbreitern"],
  narrow: ["Back to the width of the text", "Zurück auf die Breite des Textes"],
  copy: ["Copy as CSV", "Als CSV kopieren"],
});

const csvOf = (table: HTMLTableElement): string =>
  csvText([...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

export function Rows({ children }: { children?: ReactNode }): ReactNode {
  const say = useText(words);
  const [isWide, setWide] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  return (
    <div className={classes("rows", isWide && "rows-wide")}>
      <TableFrame label={say.table}>
        <table ref={table}>{children}</table>
      </TableFrame>
      <div className="rows-tools">
        <IconButton
          icon={isWide ? ChevronsRightLeft : ChevronsLeftRight}
          label={isWide ? say.narrow : say.wide}
          className="rows-widen"
          onClick={() => setWide(!isWide)}
        />
        <CopyButton label={say.copy} text={() => (table.current ? csvOf(table.current) : "")} />
      </div>
    </div>
  );
}
