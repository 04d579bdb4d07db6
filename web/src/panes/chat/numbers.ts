// Numbers in Markdown: columns of them are aligned at their end, as if the author had written `---:`, and one that
// begins a line, such as that of a date, begins no list.

interface Node {
  type: string;
  value?: string;
  align?: (string | null)[];
  children?: Node[];
}

const NUMBER = /^[+\-\u2212]?[\d.,\u202f' ]*\d(?:e[+-]?\d+)?\s?%?$/i;

const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join("");

function align(table: Node): void {
  const [head, ...rows] = table.children ?? [];
  table.align = (head?.children ?? []).map((_, column) => {
    const cells = rows.map((row) => textOf(row.children?.[column] ?? { type: "" }).trim()).filter(Boolean);
    const numeric = cells.length > 0 && cells.every((cell) => NUMBER.test(cell));
    return table.align?.[column] ?? (numeric ? "right" : null);
  });
}

/** A plugin of remark. */
export const remarkNumbers = () => (tree: Node) => {
  const walk = (node: Node) => {
    if (node.type === "table") align(node);
    node.children?.forEach(walk);
  };
  walk(tree);
};

/** Keeps a number with a point at the beginning of a line, unless a line begins with the first number of a list. */
export const withoutSingleNumbers = (text: string): string =>
  /^ {0,3}1[.)]\s/m.test(text) ? text : text.replace(/^( {0,3}\d{1,9})([.)])(?=\s)/gm, "$1\\$2");
