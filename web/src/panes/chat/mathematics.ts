// The mathematical parts of a Markdown text, in one notation.

const CODE = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/;
// As in Pandoc: no space inside the dollars, and no digit after them, so that "$5 and $10" stays two prices.
const INLINE = /(^|[^\\$])\$(?=[^\s$])((?:\\.|[^$\\\n])*?[^\s\\$])\$(?![\d$])/g;

/** The text with `$…$`, `\(…\)` and `\[…\]` outside of code written as `$$…$$`, the only form that the parser reads. */
export function withMath(text: string): { source: string; hasMath: boolean } {
  if (!/\$|\\[([]/.test(text)) return { source: text, hasMath: false };
  const source = text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replace(/\\\[([\s\S]+?)\\\]/g, (_, inside: string) => `\n$$\n${inside.trim()}\n$$\n`)
            .replace(/\\\(([\s\S]+?)\\\)/g, (_, inside: string) => `$$${inside.trim()}$$`)
            .replace(INLINE, (_, before: string, inside: string) => `${before}$$${inside}$$`),
    )
    .join("");
  return { source, hasMath: source.split(CODE).some((part, index) => index % 2 === 0 && part.includes("$$")) };
}
