// The size of the label of an edge: the layout makes room for all of it.

export interface LabelSize {
  width: number;
  height: number;
}

const LETTER = 6.95; // px, in the font of the labels
const LINE = 16; // px
const WIDEST = 28; // letters in a line
const MOST_LINES = 6;

/** The size of a label whose text breaks into lines, in px; null without a text. */
export function labelSize(text: string): LabelSize | null {
  if (!text) return null;
  let [lines, at, widest] = [1, 0, 0];
  for (const word of text.split(/(?<=\s)/)) {
    const length = word.length;
    if (at > 0 && at + length > WIDEST) [lines, at] = [lines + 1, 0];
    at += length;
    // A longer word breaks anywhere.
    while (at > WIDEST) [lines, at, widest] = [lines + 1, at - WIDEST, WIDEST];
    widest = Math.max(widest, at);
  }
  return { width: Math.ceil(widest * LETTER) + 14, height: Math.min(lines, MOST_LINES) * LINE + 4 };
}
