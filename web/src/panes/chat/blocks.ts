// The blocks of a Markdown text that is still being written.

const FENCE = /^ {0,3}(`{3,}|~{3,}|\$\$)/;
/** A line that, after an empty line, is surely not part of the list, quotation, table or code before it. */
const BEGINS = /^[^\s>|*+\-\d<[$`~]/;

/** A text in blocks, each of which is Markdown by itself. All but the last one stay the same when the text grows. */
export function blocksOf(text: string): string[] {
  const blocks: string[][] = [[]];
  let fence = "";
  let isEmpty = false;
  for (const line of text.split("\n")) {
    if (isEmpty && !fence && BEGINS.test(line)) blocks.push([]);
    blocks.at(-1)?.push(line);
    isEmpty = line.trim() === "";
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence) fence = mark.startsWith(fence) ? "" : fence;
    else if (mark !== "$$" || !line.trim().slice(2).includes("$$")) fence = mark;
  }
  return blocks.map((lines) => lines.join("\n"));
}
