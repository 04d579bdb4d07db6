import { expect, test } from "vitest";
import { blocksOf } from "./blocks";

const TEXT = `# Title

A paragraph
of two lines.

1. one

   more of one

2. two

Between.

\`\`\`python
a = 1

Not a paragraph.
\`\`\`

$$
x

Y
$$

The end.`;

test("paragraphs are blocks; lists, code and formulas stay whole", () => {
  expect(blocksOf(TEXT)).toEqual([
    "# Title\n",
    "A paragraph\nof two lines.\n\n1. one\n\n   more of one\n\n2. two\n",
    "Between.\n\n```python\na = 1\n\nNot a paragraph.\n```\n\n$$\nx\n\nY\n$$\n",
    "The end.",
  ]);
});

test("nothing is lost, and finished blocks stay the same while the text grows", () => {
  for (let end = 0; end <= TEXT.length; end++) {
    const now = blocksOf(TEXT.slice(0, end));
    expect(now.join("\n")).toBe(TEXT.slice(0, end));
    const later = blocksOf(TEXT);
    expect(later.slice(0, now.length - 1)).toEqual(now.slice(0, -1));
  }
});
