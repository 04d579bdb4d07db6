// Tables of plain text, with columns separated by spaces, as agents print results: converted to tables of Markdown.

const CODE = /^\s*(```|~~~)/;
const FEWEST = 2; // lines, including the head
const isNumber = (cell: string): boolean => /^[+-]?[\d.,]+(?: ?%)?$/.test(cell);

const OTHER = /^(?:[-*+>#|] |\d+[.)] )/; // begins an item, a quotation, a heading
const INDENTED = /^(?: {4}|\t)/;

/** The cells of a line, separated by at least two spaces; empty for a line that is not a row. */
function cellsOf(line: string, afterRow: boolean): string[] {
  // Below a row an indented line is not code: numbers are right-aligned in their column.
  if (OTHER.test(line) || line.includes("|") || (!afterRow && INDENTED.test(line))) return [];
  const cells = line.trim().split(/ {2,}/);
  return cells.length > 1 ? cells : [];
}

function asTable(rows: string[][]): string {
  const [head = [], ...body] = rows;
  const lines = [
    head,
    head.map((_, column) => (body.every((row) => isNumber(row[column] ?? "")) ? "---:" : "---")),
    ...body,
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The text with its tables of plain text as tables of Markdown; code is not changed. */
export function withTables(text: string): string {
  if (!/\S {2,}\S/.test(text)) return text;
  const done: string[] = [];
  let run: { line: string; cells: string[] }[] = [];
  let inCode = false;
  const end = () => {
    if (run.length >= FEWEST) done.push("", asTable(run.map((each) => each.cells)), "");
    else done.push(...run.map((each) => each.line));
    run = [];
  };
  for (const line of text.split("\n")) {
    if (CODE.test(line)) inCode = !inCode;
    const cells = inCode ? [] : cellsOf(line, run.length > 0);
    if (run.length > 0 && cells.length !== run[0]?.cells.length) end();
    if (cells.length > 0) run.push({ line, cells });
    else done.push(line);
  }
  end();
  return done.join("\n");
}
