// The search bar of the text, and the other parts of CodeMirror that say something: their words and their look.

import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { spoken, texts } from "../../app/language";

/** By CodeMirror's own words. */
const phrases = texts({
  Find: ["Find", "Suchen"],
  Replace: ["Replace with", "Ersetzen durch"],
  next: ["Next", "Weiter"],
  previous: ["Previous", "Zurück"],
  all: ["All", "Alle"],
  "match case": ["Match case", "Groß und klein"],
  regexp: ["Regular expression", "Regulärer Ausdruck"],
  "by word": ["Whole words", "Ganze Wörter"],
  replace: ["Replace", "Ersetzen"],
  "replace all": ["Replace all", "Alle ersetzen"],
  close: ["Close", "Schließen"],
  "current match": ["Current match", "Aktuelle Fundstelle"],
  "replaced $ matches": ["Replaced $ matches", "$ Fundstellen ersetzt"],
  "replaced match on line $": ["Replaced the match on line $", "Fundstelle in Zeile $ ersetzt"],
  "on line": ["on line", "in Zeile"],
  "Go to line": ["Go to line", "Gehe zu Zeile"],
  go: ["Go", "Los"],
  Diagnostics: ["Problems", "Probleme"],
  "No diagnostics": ["No problems", "Keine Probleme"],
  Completions: ["Completions", "Vorschläge"],
  "Control character": ["Control character", "Steuerzeichen"],
  "Selection deleted": ["Selection deleted", "Auswahl gelöscht"],
  "Fold line": ["Fold", "Einklappen"],
  "Unfold line": ["Unfold", "Ausklappen"],
  "Folded lines": ["Folded lines", "Eingeklappte Zeilen"],
  "Unfolded lines": ["Unfolded lines", "Ausgeklappte Zeilen"],
  "folded code": ["Folded lines", "Eingeklappte Zeilen"],
  unfold: ["Unfold", "Ausklappen"],
  to: ["to", "bis"],
});

const control = {
  minHeight: "26px",
  margin: "0",
  border: "1px solid var(--line-strong)",
  borderRadius: "var(--radius-s)",
  background: "var(--surface)",
  color: "var(--text)",
  font: "inherit",
};

const bar = EditorView.theme({
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", fontFamily: "var(--font)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": {
    display: "flex",
    flexWrap: "wrap",
    alignItems: "center",
    gap: "6px",
    padding: "8px 40px 8px 10px",
    fontSize: "var(--text-s)",
  },
  // The second line is that of the replacement.
  ".cm-panel.cm-search br": { display: "block", flexBasis: "100%", height: "0", content: '""' },
  ".cm-panel .cm-textfield": { ...control, width: "200px", padding: "0 8px" },
  ".cm-panel .cm-textfield:focus": { borderColor: "var(--accent)", outline: "2px solid var(--accent-soft)" },
  ".cm-panel .cm-button": { ...control, padding: "0 10px", fontWeight: "500", backgroundImage: "none" },
  ".cm-panel .cm-button:hover": { background: "var(--hover)" },
  ".cm-panel .cm-button:active": { background: "var(--pressed)", backgroundImage: "none" },
  ".cm-panel.cm-search label": {
    display: "inline-flex",
    alignItems: "center",
    gap: "5px",
    margin: "0",
    padding: "0 4px",
    color: "var(--text-soft)",
    fontSize: "inherit",
  },
  ".cm-panel.cm-search input[type=checkbox]": { margin: "0", accentColor: "var(--accent-strong)" },
  ".cm-panel.cm-search [name=close]": {
    top: "7px",
    right: "8px",
    width: "28px",
    height: "28px",
    borderRadius: "var(--radius-s)",
    color: "var(--text-soft)",
    fontSize: "18px",
    lineHeight: "1",
  },
  ".cm-panel.cm-search [name=close]:hover": { background: "var(--hover)", color: "var(--text)" },
  "& .cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
  "& .cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--warn) 45%, transparent)" },
});

export const spokenBar = (): Extension => [EditorState.phrases.of(spoken(phrases)), bar];
