// The mathematical parts of a Markdown text, in one notation.

const CODE = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/;
// As in Pandoc: no space inside the dollars, and no digit after them, so that "$5 and $10" stays two prices.
const INLINE = /(^|[^\\$])\$(?=[^\s$])((?:\\.|[^$\\\n])*?[^\s\\$])\$(?![\d$])/g;
// A line that is one formula, also in a quotation.
const LINE = /^([ \t>]*)\$\$([^$\n]+)\$\$[ \t]*$/gm;

/** The text with `$…$`, `\(…\)` and `\[…\]` outside of code written as `$$…$$`, the only form that the parser reads. A line
 *  that is one formula becomes three, which the parser shows as a displayed formula. */
export function withMath(text: string): { source: string; hasMath: boolean } {
  if (!/\$|\\[([]/.test(text)) return { source: text, hasMath: false };
  const parts = text.split(CODE);
  const source = parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replace(LINE, (all: string, before: string, inside: string, at: number) => {
              const isWhole = (at > 0 || index === 0) && (at + all.length < part.length || index === parts.length - 1);
              return isWhole ? `${before}$$\n${before}${inside.trim()}\n${before}$$` : all;
            })
            .replace(/\\\[([\s\S]+?)\\\]/g, (_, inside: string) => `\n$$\n${inside.trim()}\n$$\n`)
            .replace(/\\\(([\s\S]+?)\\\)/g, (_, inside: string) => `$$${inside.trim()}$$`)
            .replace(INLINE, (_, before: string, inside: string) => `${before}$$${inside}$$`),
    )
    .join("");
  return { source, hasMath: source.split(CODE).some((part, index) => index % 2 === 0 && part.includes("$$")) };
}
