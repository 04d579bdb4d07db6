import { expect, test } from "vitest";
import { saysMore, snippet, withoutMarks } from "./plain";

test.each([
  ["## **Orbit** of `ring_1`", "Orbit of ring_1"],
  ["A **title that was cut", "A title that was cut"],
  ["an *important* _note_", "an important note"],
  ["delete *.csv and *.txt of my_old_folder, 2 * 3 * 4", "delete *.csv and *.txt of my_old_folder, 2 * 3 * 4"],
])("%s is shown as %s", (text, shown) => expect(withoutMarks(text)).toBe(shown));

test.each([
  ["## Resonance\n\nA driven **system**", "Resonance", "|Resonance| A driven system"],
  ["see [Slow feedback](https://a.example/x) here", "feedback", "see Slow |feedback| here"],
  ["its [Slow feedback](https://docs.exam", "Slow", "its |Slow| feedback"],
  ["at $$\\omega_0 = \\sqrt{k/m}$$: it", "it", "at […]: |it|"],
  ["- one\n- two", "two", "· one · |two|"],
  ["It is 3.\n\n> Computed from cups", "cups", "It is 3. Computed from |cups|"],
  ["Done:\n+ Ticket\n~ User ann", "ann", "Done: · Ticket · User |ann|"],
  ["\\frac{F_0}{\\sqrt{2k}} here", "here", "F_0/√(2k) |here|"],
  ["| size | price |\n|---|---:|\n| large | 3 |", "large", "size price |large| 3"],
])("the snippet of %j has no signs", (text, words, shown) => {
  const start = text.lastIndexOf(words);
  expect(
    snippet({ text, start, end: start + words.length })
      .join("|")
      .trim(),
  ).toBe(shown);
});

test.each([
  [["new ", "lights", ""], false],
  [["no ", "lights", ""], true],
  [["", "lights", ""], false],
  [["see ", "", " here"], false],
])("the excerpt %j says more than the title: %s", (parts, more) => expect(saysMore("new lights", parts)).toBe(more));
