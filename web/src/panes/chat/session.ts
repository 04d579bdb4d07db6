// The open conversation: its messages in pages, its state, and the run in progress.

import {
  type Json,
  type Message,
  Problem,
  type Run,
  type RunEvent,
  type Thread,
  type ThreadState,
  api,
  follow,
} from "../../api";
import { failed } from "../../app/toasts";
import { invalidate } from "../../app/resource";
import { keptByTab } from "../../app/storage";
import { createStore } from "../../app/store";
import { type Live, after, begun, problemIn } from "./live";

export interface Shown {
  thread: Thread | null;
  state: ThreadState | null;
  /** Oldest first. */
  messages: Message[];
  /** The cursor of older messages; null if all are loaded. */
  older: number | null;
  live: Live | null;
  error: unknown;
}

export interface Given {
  id: string;
  name: string;
}

/**
 * The message of a turn in progress, by thread. A turn that is interrupted early is not stored by the service: then
 * this is the only copy of the message, also after a reload.
 */
const sent = {
  key: (thread: string) => `graphwright.sent.${thread}`,
  get: (thread: string) => keptByTab.get(sent.key(thread)),
  set: (thread: string, message: string | null) => keptByTab.set(sent.key(thread), message),
};

const ids = (files: Given[]) => files.map((each) => each.id);

/**
 * Starts the first turn of a new thread; opening the thread shows it in progress. If it is refused, the thread is
 * deleted.
 */
export async function beginThread(thread: string, message: string | null, files: Given[] = []): Promise<void> {
  sent.set(thread, message);
  try {
    await api.turn(thread, message, ids(files), "", crypto.randomUUID());
  } catch (error) {
    sent.set(thread, null);
    // Without an answer, or after an error of the service, it is unknown whether it began.
    if (error instanceof Problem && error.status >= 400 && error.status < 500)
      await api.deleteThread(thread).catch(() => undefined);
    throw error;
  }
}

const PAGE = 40;
const LOOK_AGAIN = 4000; // ms between checks for changes of the thread by another tab or program

/** Whether a turn was interrupted and is not running, because the service ended or was stopped. */
export const isCutShort = ({ state, live }: Shown): boolean => live === null && state?.status === "cut_short";

export class Conversation {
  readonly shown = createStore<Shown>({
    thread: null,
    state: null,
    messages: [],
    older: null,
    live: null,
    error: undefined,
  });
  private stopping = new AbortController();
  private run: Run | null = null;
  private loadingOlder = false;
  /** The last text typed into the field of a question. */
  private tried = { node: "", text: "" };

  constructor(readonly id: string) {}

  private change(part: Partial<Shown>): void {
    this.shown.set({ ...this.shown.get(), ...part });
  }

  /** Opens the conversation, and follows a run in progress; the returned function closes it. */
  open(): () => void {
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    void this.load(signal);
    const timer = setInterval(() => document.visibilityState === "visible" && void this.lookAgain(signal), LOOK_AGAIN);
    const onFocus = () => void this.lookAgain(signal);
    addEventListener("focus", onFocus);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", onFocus);
      this.stopping.abort();
    };
  }

  private async load(signal: AbortSignal): Promise<void> {
    try {
      await this.refresh(signal);
    } catch (error) {
      if (!signal.aborted) this.change({ error });
      return;
    }
    if (signal.aborted) return;
    await this.takeUp(signal);
    this.recall();
  }

  /** Shows the message of a turn that was not stored. */
  private recall(): void {
    const { state, messages, live } = this.shown.get();
    const run = state?.run;
    const unread = run?.turn?.unread ?? "";
    const message = unread || (run?.unread ?? sent.get(this.id));
    if (message === null || live !== null || this.run !== null) return;
    if (run?.status === "running") return;
    sent.set(this.id, null);
    if (unread) {
      this.change({ live: { ...begun(message), unread, ending: "turn_ended" } });
      return;
    }
    if (messages.findLast((each) => each.role === "user")?.text === message || state?.status === "cut_short") return;
    const problem = run?.problem ? problemIn(run.problem) : null;
    this.change({
      live: { ...begun(message), problem, ending: run?.status === "cancelled" ? "run_cancelled" : "run_failed" },
    });
  }

  /**
   * Reads the state and the newest messages; `before` is the thread if it was just read. Loaded older messages are
   * kept.
   */
  private async refresh(signal: AbortSignal, before?: Thread): Promise<void> {
    // The thread first: otherwise an older state would be taken as the present one, and not be loaded again.
    const thread = before ?? (await api.thread(this.id));
    const [state, page] = await Promise.all([api.state(this.id), api.messages(this.id, undefined, PAGE)]);
    if (signal.aborted) return;
    const { messages: held, older } = this.shown.get();
    const first = page.items[0]?.seq ?? 0;
    const kept = held.filter((each) => each.seq < first);
    // A gap between the pages would look as if there were nothing in between.
    const joined = kept.length > 0 && (kept.at(-1)?.seq ?? 0) >= first - 1;
    const known = new Map(held.map((each) => [each.seq, each]));
    const fresh = page.items.map((each) => {
      const old = known.get(each.seq);
      return old && old.text === each.text && (old.artifacts?.length ?? 0) === (each.artifacts?.length ?? 0)
        ? old
        : each;
    });
    this.change({
      thread,
      state,
      error: undefined,
      messages: joined ? [...kept, ...fresh] : fresh,
      older: joined ? older : page.next === null ? null : first,
    });
  }

  async loadOlder(): Promise<void> {
    const { older, messages } = this.shown.get();
    if (older === null || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const page = await api.messages(this.id, older, PAGE);
      const first = page.items[0]?.seq ?? 0;
      this.change({ messages: [...page.items, ...messages], older: page.next === null ? null : first });
    } catch (error) {
      failed(error);
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Follows a run in progress, started here or elsewhere. */
  private async takeUp(signal: AbortSignal): Promise<void> {
    const run = this.shown.get().state?.run;
    if (run && run.status === "running" && this.run === null) await this.followRun(run, begun(null), signal);
  }

  private async lookAgain(signal: AbortSignal): Promise<void> {
    const { thread: now, live, error: reason } = this.shown.get();
    if (this.run !== null || (live !== null && live.ending === null)) return;
    // It could not be opened: try again, unless the conversation does not exist.
    if (now === null && !(reason instanceof Problem && (reason.status === 0 || reason.status >= 500))) return;
    try {
      const thread = await api.thread(this.id);
      if (signal.aborted || (thread.updated === now?.updated && thread.status === now.status)) return;
      const last = this.shown.get().messages.at(-1)?.seq;
      await this.refresh(signal, thread);
      // The reason of a failed turn is shown until another turn.
      if (this.shown.get().messages.at(-1)?.seq !== last) this.change({ live: null });
      await this.takeUp(signal);
    } catch {
      // The next check may succeed; the next action of the user shows the error.
    }
  }

  private async followRun(run: Run, live: Live, signal: AbortSignal): Promise<void> {
    this.run = run;
    let now = live;
    let waiting: RunEvent[] = [];
    let frame = 0;
    let heard = false;
    const show = () => {
      frame = 0;
      if (heard) return; // a late frame, as in a hidden tab
      for (const event of waiting) now = after(now, event);
      waiting = [];
      // It is over only when the state of the thread is known, because a yes must not go to an earlier question.
      this.change({ live: { ...now, ending: null } });
    };
    this.change({ live: now });
    let problem: unknown;
    try {
      const onLost = (lost: boolean) => {
        if (lost !== now.lost) this.change({ live: (now = { ...now, lost }) });
      };
      for await (const { event } of follow(run.id, signal, onLost)) {
        waiting.push(event);
        // Many events a second are drawn together; a hidden tab has no frames.
        frame ||= document.hidden ? window.setTimeout(show, 50) : requestAnimationFrame(show);
      }
    } catch (error) {
      problem = error;
    }
    if (signal.aborted) return;
    show();
    heard = true;
    if (problem !== undefined) failed(problem);
    await this.refresh(signal).catch((error: unknown) => failed(error));
    if (signal.aborted) return;
    this.run = null;
    const { ending, problem: reason, unread } = now;
    // The reason of a failed turn is shown below the messages, until the next turn.
    const stays = ending !== "turn_ended" || reason !== null || unread !== "";
    if (!stays) sent.set(this.id, null);
    this.change({ live: stays ? { ...now, ending: ending ?? "run_failed" } : null });
    invalidate("threads?");
  }

  private async perform(live: Live, ask: (key: string) => Promise<Run>): Promise<boolean> {
    if (this.run !== null) return false;
    this.change({ live });
    try {
      const run = await ask(crypto.randomUUID());
      sent.set(this.id, live.message);
      invalidate("threads?");
      void this.followRun(run, live, this.stopping.signal);
      return true;
    } catch (error) {
      this.change({ live: null });
      failed(error);
      if (error instanceof Problem && error.status === 409)
        await this.refresh(this.stopping.signal).catch(() => undefined);
      return false;
    }
  }

  /** One turn with a message; null lets the agent begin, or continue. A yes in it confirms the shown approval. */
  say(message: string | null, files: Given[] = []): Promise<boolean> {
    return this.send(message, files, this.shown.get().state?.waiting_for?.approval?.hash ?? "");
  }

  /** Repeats the last message, or resumes an interrupted turn. */
  retry(): void {
    const { live, messages } = this.shown.get();
    const begins = isCutShort(this.shown.get()) || live?.message === null;
    const said = live?.unread || live?.message || messages.findLast((each) => each.role === "user")?.text;
    // A yes to another question does not approve anything.
    if (begins || said) void this.send(begins ? null : (said ?? null), [], "");
  }

  private send(message: string | null, files: Given[], approves: string): Promise<boolean> {
    const names = files.map((each) => each.name);
    return this.perform(begun(message, names), (key) => api.turn(this.id, message, ids(files), approves, key));
  }

  /** One turn that answers the waiting question with a value, which was typed as `tried`. */
  answer(value: Json, shownAs: string, tried = { node: "", text: "" }): Promise<boolean> {
    this.tried = tried;
    return this.perform(begun(shownAs), (key) => api.resume(this.id, value, "", key));
  }

  /** One turn with a yes to exactly this content, or a no. */
  decide(yes: boolean, shownAs: string, hash: string): Promise<boolean> {
    return this.perform(begun(shownAs), (key) => api.resume(this.id, yes, yes ? hash : "", key));
  }

  /** The text typed at a question that is asked again; empty if it is asked for the first time. */
  triedAt(node: string): string {
    return this.tried.node === node ? this.tried.text : "";
  }

  async stop(): Promise<void> {
    if (this.run) await api.cancel(this.run.id).catch(failed);
  }

  rename(title: string): void {
    const { thread } = this.shown.get();
    if (thread) this.change({ thread: { ...thread, title } });
  }

  /** A new thread that continues from this one before a turn. Returns its id. */
  async branchBefore(turn: number, message: string): Promise<string> {
    const { items } = await api.trace(this.id, { turn, limit: 1 });
    const at = (items[0]?.seq ?? 0) - 1;
    if (at < 0) return (await api.createThread(this.shown.get().thread?.agent ?? "", message)).thread;
    return (await api.branch(this.id, at)).thread;
  }
}
