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
import type { Finding, LayerConflict } from "./api";
import { type Headline, textsOf } from "./headlines";
import { spoken } from "../../app/language";
import type { FlowEdge, FlowNode } from "../../flow-canvas/flow";
import { at } from "./model/flow";
import { SELF, ownPart } from "./model/layers";
import { spokenBar } from "./searchBar";
import { words } from "./words";
import type { Session } from "./session";

/** The look of a text in CodeMirror. */
export const look = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--text-m)", backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 55%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)", color: "var(--text)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  // The findings have the colours that they have in the picture and in the list.
  ".cm-lint-marker": { width: "9px", height: "9px", margin: "5px 2px 0", borderRadius: "50%" },
  ".cm-lint-marker-error": { content: "normal", backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "normal", backgroundColor: "var(--warn)" },
  ".cm-lint-marker-info, .cm-lint-marker-hint": { content: "normal", backgroundColor: "var(--text-faint)" },
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
  spokenBar(),
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

/** Shows the findings of the compiler, and what the draft sets differently from lower layers, in the text. */
export function showFindings(
  view: EditorView,
  findings: readonly Finding[],
  headline: Headline,
  conflicts: readonly LayerConflict[] = [],
): void {
  const own = findings.filter((each) => each.file === SELF);
  const shown: Diagnostic[] = own.map((each) => {
    const from = offsetOf(view.state, each.line, each.column);
    const to = Math.max(from, offsetOf(view.state, each.end_line, each.end_column));
    return {
      from,
      to,
      severity: each.severity,
      message: `${each.code} ${textsOf(each, headline).join("\n")}`,
      actions:
        each.fix && !view.state.readOnly
          ? [{ name: spoken(words).fix(each.fix.text), apply: () => applyFix(view, each.fix) }]
          : [],
    };
  });
  for (const each of conflicts) {
    const here = each.settings.find((setting) => setting.file === SELF);
    if (!here) continue;
    const from = offsetOf(view.state, here.line, here.column);
    const others = each.settings.filter((setting) => setting !== here);
    const lines = others.map(({ file, line, value }) => `${file}:${line}: ${JSON.stringify(value)}`);
    shown.push({
      from,
      to: view.state.doc.lineAt(from).to,
      severity: each.error ? "warning" : "hint",
      message: [`${each.part}${each.field && `, ${each.field}`}: ${each.why}`, ...lines].join("\n"),
    });
  }
  view.dispatch(setDiagnostics(view.state, shown));
}

/** Makes the change that a finding suggests, as one step of the undo. */
export function applyFix(view: EditorView, fix: Finding["fix"]): void {
  if (!fix) return;
  const [from, to] = [offsetOf(view.state, fix.line, fix.column), offsetOf(view.state, fix.end_line, fix.end_column)];
  view.dispatch({ changes: { from, to, insert: fix.text }, userEvent: "input.fix" });
}

/** Moves the cursor to a range of the text and shows it. */
export function reveal(view: EditorView, from: number, to = from): void {
  const { length } = view.state.doc;
  const [head, anchor] = [Math.min(to, length), Math.min(from, length)];
  view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
}

/** Shows a node or an edge in the text, if the draft itself has it. */
export function showPart({ state, view }: Session, part: FlowNode | FlowEdge): void {
  const { flow, layers } = state.get();
  const own = layers && flow ? ownPart(flow, part) : part;
  if (own) reveal(view, own.range[0], own.range[1]);
}

/** Moves the cursor to a line and shows it. */
export const revealLine = (view: EditorView, line: number): void => {
  const { from, to } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  reveal(view, from, to);
};

const READING = [lineNumbers(), yaml(), syntaxHighlighting(colours), look, EditorState.readOnly.of(true)];

// The lines that differ are tinted, and more strongly the words in them.
const tint = (colour: string, share: number) => `color-mix(in srgb, var(--${colour}) ${share}%, transparent)`;
const comparison = EditorView.theme({
  "&": { height: "auto" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: tint("bad", 11) },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: tint("good", 11) },
  "&.cm-merge-a .cm-changedText": { background: tint("bad", 30), borderRadius: "2px" },
  "&.cm-merge-b .cm-changedText": { background: tint("good", 30), borderRadius: "2px" },
  "&.cm-merge-a .cm-changedLineGutter": { backgroundColor: "var(--bad)" },
  "&.cm-merge-b .cm-changedLineGutter": { backgroundColor: "var(--good)" },
  ".cm-collapsedLines": {
    padding: "3px 6px",
    background: "var(--hover)",
    color: "var(--text-soft)",
    fontFamily: "var(--font)",
    fontSize: "var(--text-s)",
  },
});

/** The extensions of one of two compared texts. */
export const compared = (title: string): Extension => [
  READING,
  comparison,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": title }),
];

/** A text that can only be read, in an element. */
export const readOnlyView = (text: string, parent: HTMLElement): EditorView =>
  new EditorView({
    doc: text,
    parent,
    extensions: [READING, EditorView.contentAttributes.of({ "aria-label": spoken(words).text })],
  });

/** Moves the cursor to a finding. */
export const revealFinding = (view: EditorView, finding: Finding): void =>
  reveal(
    view,
    offsetOf(view.state, finding.line, finding.column),
    offsetOf(view.state, finding.end_line, finding.end_column),
  );
