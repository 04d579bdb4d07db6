import { expect, test, vi } from "vitest";
import { germanLine, germanNeeds, germanNote, germanTitle } from "./drawingWords";

// The texts depend on the browser's language.
vi.hoisted(() => vi.stubGlobal("navigator", { language: "en", languages: ["en"] }));

test("the drawing's own words are German, and those of the flow stay", () => {
  const title = "action send\nSend it\nsend_lead()\nonly after a yes to q.sure over a, b where urgent";
  expect(germanTitle(title)).toBe("Aktion send\nSend it\nsend_lead()\nnur nach Ja zu q.sure über a, b falls urgent");
  expect(germanTitle("question q.n\nWhich question?\nonly when buying")).toBe(
    "Frage q.n\nWhich question?\nnur wenn buying",
  );
  expect(germanTitle("q.n → send\nelse")).toBe("q.n → send\nelse");
  expect(germanTitle("begins here")).toBe("beginnt hier");
  expect(["when stuck", "what the author wrote"].map(germanNote)).toEqual([
    "in einer Sackgasse",
    "what the author wrote",
  ]);
  expect(["one of found", "one of these days", "work → the chosen path · answers.work"].map(germanLine)).toEqual([
    "eines aus found",
    "one of these days",
    "work → der gewählte Weg · answers.work",
  ]);
  expect(["only after a yes to q.sure", "where urgent"].map(germanNeeds)).toEqual([
    "nur nach Ja zu q.sure",
    "falls urgent",
  ]);
});
