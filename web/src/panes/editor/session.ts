// An open draft: its text in CodeMirror, the flow in it, what the compiler says, and saving. Picture, forms and text are
// views of it; every change is a transaction of CodeMirror, so that there is one undo.

import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { Problem } from "../../api";
import { kept } from "../../app/storage";
import { createStore } from "../../app/store";
import { type DraftChecked, type DraftLayers, type DraftText, editorApi } from "./api";
import { type Fields, type Flow, flowOf } from "../../flow-canvas/flow";
import { readFlow } from "./model/flow";
import { isLayered } from "./model/layers";

export type Saving = "saved" | "unsaved" | "saving" | "offline" | "conflict" | "refused";
export type Selection = { kind: "nodes"; ids: readonly string[] } | { kind: "edge"; key: string } | null;

export interface SessionState {
  text: string;
  /** The last flow that could be read; `current` is false while the text has a syntax error. */
  flow: Flow | null;
  current: boolean;
  /** The flow to show: `flow`, or what it makes with the documents that it extends. */
  shown: Flow | null;
  /** The layers of a draft that extends other documents. */
  layers: DraftLayers | null;
  checked: DraftChecked | null;
  /** The text that was checked. */
  checkedText: string;
  saving: Saving;
  /** Why the service does not take the draft, if it is `refused`. */
  refusal: unknown;
  server: DraftText;
  selection: Selection;
  /** The form of what is chosen gets the focus. */
  editing: boolean;
}

const CHECK_AFTER = 250; // ms after the last change
const AT_ONCE = 60; // ms; a text that takes longer to read is not read with each key
const SAVE_AFTER = 1000;
const SEND_AGAIN = 4000;

export class Session {
  readonly state;
  readonly view: EditorView;
  private checkTimer = 0;
  private saveTimer = 0;
  private checking: AbortController | null = null;
  private sent: Promise<void> | null = null;
  /** How long the last reading of the text took, in ms. */
  private readTakes = 0;

  constructor(
    readonly agent: string,
    server: DraftText,
    readonly mayEdit: boolean,
    extensions: (session: Session) => Extension,
  ) {
    const local = mayEdit ? localDraft(agent) : null;
    const mine = local !== null && local.text !== server.text ? local : null;
    const text = mine?.text ?? server.text;
    const began = performance.now();
    const flow = readFlow(text);
    this.readTakes = performance.now() - began;
    this.state = createStore<SessionState>({
      text,
      flow,
      current: flow !== null,
      shown: isLayered(flow) ? null : flow,
      layers: null,
      checked: null,
      checkedText: "",
      saving: mine === null ? "saved" : mine.revision === server.revision ? "unsaved" : "conflict",
      refusal: undefined,
      server,
      selection: null,
      editing: false,
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

  /** Reads the flow in the text; what it shows if that has a syntax error stays. */
  private read(text: string): Partial<SessionState> {
    const began = performance.now();
    const flow = readFlow(text);
    this.readTakes = performance.now() - began;
    const last = flow ?? this.state.get().flow;
    // The service merges the layers; until then the last picture stays.
    return { flow: last, current: flow !== null, ...(isLayered(last) ? {} : { shown: last, layers: null }) };
  }

  private changed(text: string): void {
    const before = this.state.get();
    // A document that takes long to read is read when the typing pauses.
    const later = this.readTakes > AT_ONCE;
    this.put({
      text,
      ...(later ? {} : this.read(text)),
      // While a text is on its way, the service will have that one.
      saving:
        before.saving === "conflict" ? "conflict" : text === before.server.text && !this.sent ? "saved" : "unsaved",
    });
    if (this.mayEdit) keepLocal(this.agent, text, before.server.revision);
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => {
      if (later) this.put(this.read(text));
      this.check();
    }, CHECK_AFTER);
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

  /** Chooses something, and moves the focus to the first field of its form. */
  edit(selection: Selection): void {
    this.put({ selection, editing: true });
  }

  /** The first field has the focus. */
  edited(): void {
    this.put({ editing: false });
  }

  private check(): void {
    this.checking?.abort();
    const { text } = this.state.get();
    const abort = (this.checking = new AbortController());
    editorApi
      .check(this.agent, text, abort.signal)
      .then((checked) => !abort.signal.aborted && this.put({ checked, checkedText: text }))
      .catch(() => undefined); // The next change asks again; a service that is away is shown by saving.
    if (!isLayered(this.state.get().flow)) return;
    editorApi
      .layers(this.agent, text, abort.signal)
      .then((layers) => {
        if (abort.signal.aborted) return;
        const shown = layers.document ? { shown: flowOf(layers.document as Fields) } : {};
        this.put({ layers, ...shown });
      })
      .catch(() => undefined);
  }

  private saveSoon(after = SAVE_AFTER): void {
    clearTimeout(this.saveTimer);
    if (this.mayEdit) this.saveTimer = setTimeout(() => void this.save(), after);
  }

  /** Saves the text now, if there is something to save. */
  async save(): Promise<void> {
    clearTimeout(this.saveTimer);
    // One at a time: of two that name the same revision the second would be refused.
    while (this.sent) await this.sent;
    const { text, server, saving } = this.state.get();
    if (saving === "conflict" || saving === "saved") return;
    if (text === server.text) {
      this.put({ saving: "saved" });
      return;
    }
    this.put({ saving: "saving" });
    const sending = editorApi.save(this.agent, text, server).then(
      (saved) => {
        const now = this.state.get().text;
        this.put({ server: saved, saving: now === saved.text ? "saved" : "unsaved" });
        if (now === saved.text) forgetLocal(this.agent);
        else this.saveSoon();
      },
      (error: unknown) => {
        const status = error instanceof Problem ? error.status : 0;
        if (error instanceof Problem && error.code === "draft_changed") this.put({ saving: "conflict" });
        // It would be refused again: the next change sends it again.
        else if (status >= 400 && status < 500 && status !== 429) this.put({ saving: "refused", refusal: error });
        else {
          this.put({ saving: "offline" });
          this.saveSoon(SEND_AGAIN);
        }
      },
    );
    this.sent = sending.finally(() => (this.sent = null));
    await this.sent;
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
