// The text of a draft in CodeMirror: YAML, undo, search, findings of the compiler, and completion of names.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  HighlightStyle,
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Finding } from "./api";
import { spoken } from "../../app/language";
import { at } from "./model/flow";
import { words } from "./words";
import type { Session } from "./session";

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--text-m)", backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 55%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)", color: "var(--text)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-title)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--text-faint)", fontStyle: "italic" },
]);

/** Offers the answers, channels and predicates that guards and texts may read. */
const names =
  (session: Session) =>
  (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w.]+/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const line = context.state.doc.lineAt(context.pos).text;
    if (!/guard|when|validate|prompt|say|predicates|require|over|\{\{/.test(line)) return null;
    const known = session.state.get().checked?.names ?? [];
    const options: Completion[] = known.map((each) => ({ label: each.name, detail: each.type, type: each.kind }));
    return { from: word.from, options, validFor: /^[\w.]*$/ };
  };

/** The extensions of a draft's editor. */
export const extensions = (session: Session): Extension => [
  lineNumbers(),
  foldGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  lintGutter(),
  yaml(),
  syntaxHighlighting(colours),
  autocompletion({ override: [names(session)] }),
  look,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": spoken(words).text }),
  EditorState.readOnly.of(!session.mayEdit),
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    ...lintKeymap,
    indentWithTab,
  ]),
  EditorView.updateListener.of((update) => {
    if (!update.selectionSet || update.docChanged || !update.view.hasFocus) return;
    const { flow, current } = session.state.get();
    if (!flow || !current) return;
    const found = at(flow, update.state.selection.main.head);
    if (found) session.select("id" in found ? { kind: "nodes", ids: [found.id] } : { kind: "edge", key: found.key });
  }),
];

/** The offset of a line and a column, both from 1; columns count code points. */
function offsetOf(state: EditorState, line: number, column: number): number {
  const found = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  const before = [...found.text].slice(0, Math.max(column - 1, 0)).join("");
  return Math.min(found.from + before.length, found.to);
}

/** Shows the findings of the compiler in the text. */
export function showFindings(view: EditorView, findings: readonly Finding[]): void {
  const shown: Diagnostic[] = findings.map((each) => {
    const from = offsetOf(view.state, each.line, each.column);
    const to = Math.max(from, offsetOf(view.state, each.end_line, each.end_column));
    return {
      from,
      to,
      severity: each.severity,
      message: `${each.code} ${each.message}${each.hint ? `\n${each.hint}` : ""}`,
    };
  });
  view.dispatch(setDiagnostics(view.state, shown));
}

/** Moves the cursor to a range of the text and shows it. */
export function reveal(view: EditorView, from: number, to = from): void {
  const { length } = view.state.doc;
  const [head, anchor] = [Math.min(to, length), Math.min(from, length)];
  view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
}

/** Moves the cursor to a finding. */
export const revealFinding = (view: EditorView, finding: Finding): void =>
  reveal(
    view,
    offsetOf(view.state, finding.line, finding.column),
    offsetOf(view.state, finding.end_line, finding.end_column),
  );
