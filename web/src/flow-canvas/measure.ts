// How many lines a text takes in a node, in the font in which it is drawn.

/** The text of a node: its font, and the width of its lines. `.flow-summary` has the same. */
const FONT = "12.5px 'Inter Variable', system-ui, sans-serif";
const WIDTH = 189; // px
const LETTER = 6.3; // px, the mean where nothing can be measured

export type Measure = (text: string) => number;

/** The lines of a text, of which words that are too long are divided. */
export function linesOf(text: string, measure: Measure): number {
  let [lines, at] = [0, 0];
  const space = measure(" ");
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const width = measure(word);
    if (lines === 0 || at + space + width > WIDTH)
      [lines, at] = [lines + Math.max(1, Math.ceil(width / WIDTH)), width % WIDTH];
    else at += space + width;
  }
  return lines;
}

/** Measures words in px, once the font is loaded. */
export async function loadMeasure(): Promise<Measure> {
  await document.fonts.load(FONT).catch(() => undefined);
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return (text) => text.length * LETTER;
  pen.font = FONT;
  return (text) => pen.measureText(text).width;
}
