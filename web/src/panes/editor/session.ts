// An open draft: its text in CodeMirror, the flow in it, what the compiler says, and saving. Picture, forms and text are
// views of it; every change is a transaction of CodeMirror, so that there is one undo.

import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { Problem } from "../../api";
import { kept } from "../../app/storage";
import { createStore } from "../../app/store";
import { type DraftChecked, type DraftText, editorApi } from "./api";
import { type Flow, readFlow } from "./model/flow";

export type Saving = "saved" | "unsaved" | "saving" | "offline" | "conflict";
export type Selection = { kind: "nodes"; ids: readonly string[] } | { kind: "edge"; key: string } | null;

export interface SessionState {
  text: string;
  /** The last flow that could be read; `current` is false while the text has a syntax error. */
  flow: Flow | null;
  current: boolean;
  checked: DraftChecked | null;
  /** The text that was checked. */
  checkedText: string;
  saving: Saving;
  server: DraftText;
  selection: Selection;
}

const CHECK_AFTER = 250; // ms after the last change
const SAVE_AFTER = 1000;
const SEND_AGAIN = 4000;

export class Session {
  readonly state;
  readonly view: EditorView;
  private checkTimer = 0;
  private saveTimer = 0;
  private checking: AbortController | null = null;
  private sent: Promise<void> | null = null;

  constructor(
    readonly agent: string,
    server: DraftText,
    readonly mayEdit: boolean,
    extensions: (session: Session) => Extension,
  ) {
    const local = mayEdit ? localDraft(agent) : null;
    const mine = local !== null && local.text !== server.text ? local : null;
    const text = mine?.text ?? server.text;
    const flow = readFlow(text);
    this.state = createStore<SessionState>({
      text,
      flow,
      current: flow !== null,
      checked: null,
      checkedText: "",
      saving: mine === null ? "saved" : mine.revision === server.revision ? "unsaved" : "conflict",
      server,
      selection: null,
    });
    this.view = new EditorView({
      doc: text,
      extensions: [
        extensions(this),
        EditorView.updateListener.of((update) => update.docChanged && this.changed(update.state.doc.toString())),
      ],
    });
    this.check();
    if (this.state.get().saving === "unsaved") this.saveSoon();
  }

  private put(part: Partial<SessionState>): void {
    this.state.set({ ...this.state.get(), ...part });
  }

  private changed(text: string): void {
    const flow = readFlow(text);
    const before = this.state.get();
    this.put({
      text,
      flow: flow ?? before.flow,
      current: flow !== null,
      saving: before.saving === "conflict" ? "conflict" : text === before.server.text ? "saved" : "unsaved",
    });
    if (this.mayEdit) keepLocal(this.agent, text, before.server.revision);
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => this.check(), CHECK_AFTER);
    this.saveSoon();
  }

  /** Applies a command: a function from text to text. The change is as small as possible, and one step of the undo. */
  apply(command: (text: string) => string): void {
    if (!this.mayEdit) return;
    const before = this.view.state.doc.toString();
    const after = command(before);
    if (after !== before) this.view.dispatch({ changes: between(before, after), userEvent: "input.command" });
  }

  /** Replaces the whole text, such as by a version; undo brings the former text back. */
  replace(text: string): void {
    this.view.dispatch({ changes: between(this.view.state.doc.toString(), text) });
  }

  select(selection: Selection): void {
    this.put({ selection });
  }

  private check(): void {
    this.checking?.abort();
    const { text } = this.state.get();
    const abort = (this.checking = new AbortController());
    editorApi
      .check(this.agent, text, abort.signal)
      .then((checked) => !abort.signal.aborted && this.put({ checked, checkedText: text }))
      .catch(() => undefined); // The next change asks again; a service that is away is shown by saving.
  }

  private saveSoon(after = SAVE_AFTER): void {
    clearTimeout(this.saveTimer);
    if (this.mayEdit) this.saveTimer = setTimeout(() => void this.save(), after);
  }

  /** Saves the text now, if there is something to save. */
  async save(): Promise<void> {
    clearTimeout(this.saveTimer);
    await this.sent;
    const { text, server, saving } = this.state.get();
    if (saving === "conflict" || saving === "saved" || text === server.text) return;
    this.put({ saving: "saving" });
    this.sent = editorApi.save(this.agent, text, server.revision).then(
      (saved) => {
        const now = this.state.get().text;
        this.put({ server: saved, saving: now === saved.text ? "saved" : "unsaved" });
        if (now === saved.text) forgetLocal(this.agent);
        else this.saveSoon();
      },
      (error: unknown) => {
        const conflict = error instanceof Problem && error.code === "draft_changed";
        this.put({ saving: conflict ? "conflict" : "offline" });
        if (!conflict) this.saveSoon(SEND_AGAIN);
      },
    );
    await this.sent;
    this.sent = null;
  }

  /** Ends a conflict: with the text of the service, or with this text over it. */
  async resolve(mine: boolean): Promise<void> {
    const server = await editorApi.draft(this.agent);
    this.put({ server, saving: "unsaved" });
    if (mine) await this.save();
    else {
      this.replace(server.text);
      this.put({ saving: "saved" });
      forgetLocal(this.agent);
    }
  }

  /** The state after a publication. */
  async reload(): Promise<void> {
    this.put({ server: await editorApi.draft(this.agent) });
  }

  close(): void {
    void this.save();
    this.checking?.abort();
    clearTimeout(this.checkTimer);
    this.view.destroy();
  }
}

/** The one change that makes a text of another one: what both begin and end with stays. */
export function between(before: string, after: string): { from: number; to: number; insert: string } {
  let [start, end] = [0, 0];
  const least = Math.min(before.length, after.length);
  while (start < least && before[start] === after[start]) start += 1;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

interface Local {
  text: string;
  revision: number;
}

const KEY = (agent: string): string => `graphwright.draft.${agent}`;

function localDraft(agent: string): Local | null {
  try {
    const found = JSON.parse(kept.get(KEY(agent)) ?? "null") as Local | null;
    return found && typeof found.text === "string" && typeof found.revision === "number" ? found : null;
  } catch {
    return null;
  }
}

const keepLocal = (agent: string, text: string, revision: number): void =>
  kept.set(KEY(agent), JSON.stringify({ text, revision }));
const forgetLocal = (agent: string): void => kept.set(KEY(agent), null);
