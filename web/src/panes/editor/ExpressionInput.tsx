// An expression in several lines, with completion of names and of the values that they may have.

import {
  autocompletion,
  closeBrackets,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, placeholder as placeholderText, tooltips } from "@codemirror/view";
import { type ReactNode, useEffect, useRef } from "react";
import { failed } from "../../app/toasts";
import type { Flow } from "../../flow-canvas/flow";
import { classes } from "../../ui";
import { look } from "./codemirror";
import { FieldName, type FieldProps } from "./fields";
import { literal, subjectOf } from "./model/guard";
import type { Session } from "./session";
import { useSession } from "./useSession";

/** The values of the name before a comparison, otherwise names. */
function offers(session: Session, flow: Flow, context: CompletionContext): CompletionResult | null {
  const compared = context.matchBefore(/[\w.]+\s*[!=]=\s*(?:'[^']*|\w*)/);
  const [, name = "", begun = ""] = /^([\w.]+)\s*[!=]=\s*(.*)$/.exec(compared?.text ?? "") ?? [];
  const { kind, options } = subjectOf(flow, name);
  const values = kind === "boolean" ? [true, false].map((value) => ({ value, title: "" })) : options;
  if (compared && values.length > 0)
    return {
      from: compared.to - begun.length,
      options: values.map(({ value, title }) => ({ label: literal(value, kind), detail: title, type: "constant" })),
    };
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit) return null;
  const known = session.state.get().checked?.names ?? [];
  const found: Completion[] = known.map((each) => ({ label: each.name, detail: each.type, type: each.kind }));
  return {
    from: word?.from ?? context.pos,
    options: [...found, { label: "has", type: "function" }],
    validFor: /^[\w.]*$/,
  };
}

const small = EditorView.theme({
  "&": { height: "auto", minHeight: "34px", fontSize: "var(--text-s)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { padding: "7px 0" },
});

interface Props extends FieldProps {
  flow: Flow;
  value: string;
  onChange(value: string): void;
}

/** It is taken when the field is left, or with Enter; Shift+Enter begins a line. Escape takes the former text back. */
export function ExpressionInput({ flow, value, onChange, ...about }: Props): ReactNode {
  const { label, disabled, placeholder = "" } = about;
  const session = useSession();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ value, flow, onChange });
  useEffect(() => void (latest.current = { value, flow, onChange }));
  useEffect(() => {
    const reset = (editor: EditorView) =>
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: latest.current.value } });
    const take = (editor: EditorView) => {
      const written = editor.state.doc.toString().trim();
      if (written === latest.current.value) return true;
      try {
        latest.current.onChange(written);
      } catch (error) {
        reset(editor);
        failed(error);
      }
      return true;
    };
    const made = new EditorView({
      doc: latest.current.value,
      parent: place.current ?? undefined,
      extensions: [
        autocompletion({ override: [(context) => offers(session, latest.current.flow, context)], icons: false }),
        keymap.of([
          { key: "Enter", run: take, shift: (editor) => (editor.dispatch(editor.state.replaceSelection("\n")), true) },
          { key: "Escape", run: (editor) => (reset(editor), true) },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.domEventHandlers({ blur: (_, editor) => void take(editor) }),
        history(),
        closeBrackets(),
        bracketMatching(),
        small,
        look,
        EditorView.lineWrapping,
        tooltips({ position: "fixed", parent: document.body }),
        placeholderText(placeholder),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorState.readOnly.of(disabled),
        EditorView.editable.of(!disabled),
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, [session, disabled, label, placeholder]);
  useEffect(() => {
    const now = view.current?.state.doc;
    if (now && now.toString() !== value)
      view.current?.dispatch({ changes: { from: 0, to: now.length, insert: value } });
  }, [value]);
  return (
    <div className="field" title={about.hint}>
      <FieldName label={label} name={about.name} />
      <div ref={place} className={classes("form-expression", about.wrong !== undefined && "inspector-wrong")} />
      {about.wrong !== undefined && <span className="bad">{about.wrong}</span>}
    </div>
  );
}
