import { expect, test } from "vitest";
import { readable } from "./readable";

test("an id reads as words", () => {
  const ids = [
    "decide_tools_needed",
    "q.court_size",
    "sg.contact",
    "t.sent",
    "write",
    "subgraph.buying",
    "__exit__",
    "é",
  ];
  expect(ids.map(readable)).toEqual([
    "Decide tools needed",
    "Court size",
    "Contact",
    "Sent",
    "Write",
    "Subgraph buying",
    "Exit",
    "É",
  ]);
});
