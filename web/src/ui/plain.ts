// Texts of Markdown on one line, as titles, headings and snippets show them.

import { visible } from "./visible";

const MARKS = /^[#>\s]+|\*\*|__|`/g;
const EMPHASIS = /(?<![\w*])([*_])(?=\S)(.+?)(?<=\S)\1(?![\w*])/g;

/** A text without the signs of Markdown for headings, quotations, emphasis and code. */
export const withoutMarks = (text: string): string => visible(text).replace(MARKS, "").replace(EMPHASIS, "$2");

/** The signs of Markdown and TeX in a part of a message, which may begin and end in the middle of one. */
const SIGNS: readonly [RegExp, string][] = [
  [/```\w*/g, ""],
  [/!?\[([^\]]*)\]\([^)\s]*(?:\)|$)/g, "$1"],
  // Formulas whose signs are more than letters, digits and operators.
  [
    /\$\$[^$]*[\\{^_][^$]*\$\$|\$(?=\S)[^$\n]*[\\{^_][^$\n]*\$|\\\[[^]*?\\\]|\\\([^]*?\\\)|\$\$[^$]*[\\{^_][^$]*$/g,
    "[…]",
  ],
  [/\$\$?(?=\S)([^$]+?)\$\$?/g, "$1"],
  [/\$\$/g, ""],
  [/\\sqrt\{([^{}]*)\}/g, "√($1)"],
  [/\\frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2"],
  [/\\([a-zA-Z]+)/g, "$1"],
  [/(^|\n)\s*#{1,6}\s/g, "$1"],
  [/^\s*>\s?/gm, ""],
  [/(^|\n)\s*[-*+]\s/g, "$1· "],
  [/^~\s/gm, "· "],
  [/\s*\|[\s|:-]*/g, " "],
];

const unmarked = (text: string): string =>
  withoutMarks(SIGNS.reduce((now, [sign, by]) => now.replace(sign, by), text)).replace(/\s+/g, " ");

/** A message, or its beginning, as text on one line. */
export const plainLine = (text: string): string => unmarked(text).trim();

/** Where the found words begin and end, while signs are removed around them. */
const [BEGIN, END] = ["\u0001", "\u0002"];

/** Whether a found part adds something to the title: its words are not in the title, nor in signs that are left out. */
export const saysMore = (title: string, [before = "", words = ""]: readonly string[]): boolean =>
  words !== "" && !title.includes(`${before}${words}`);

/** The found part of a message as text on one line: before the found words, the words, and after them. */
export function snippet({ text, start, end }: { text: string; start: number; end: number }): [string, string, string] {
  const marked = unmarked(`${text.slice(0, start)}${BEGIN}${text.slice(start, end)}${END}${text.slice(end)}`);
  const [before = "", rest = ""] = marked.split(BEGIN, 2);
  const [found = "", after = ""] = rest.split(END, 2);
  return [before.trimStart(), found, after];
}
