// The open conversation: its messages in pages, its state, and the run in progress.

import { type Json, type Message, Problem, type Run, type RunEvent, api, isUnanswered } from "../../api";
import type { Approval, Thread, ThreadState } from "../../api";
import { failed } from "../../app/toasts";
import { invalidate } from "../../app/resource";
import { createStore } from "../../app/store";
import { hearRun } from "./hearing";
import { branchedBefore } from "./beginning";
import { type Live, after, begun, sameButText } from "./live";
import { type Loaded, withNewest, withOlder } from "./paging";
import { heardAgain, recalled } from "./recall";
import { type Given, type Queued, sent, waitingToSend } from "./sent";
import { type Unsent, forget, keep, leftUnsent, requested, unsentOf } from "./unsent";

export interface Shown extends Loaded {
  thread: Thread | null;
  state: ThreadState | null;
  live: Live | null;
  /** The messages that are sent when the turn has ended. */
  queue: readonly Queued[];
  /** The messages that got no answer of the service. */
  unsent: readonly Unsent[];
  error: unknown;
}

const PAGE = 40;
const LARGEST_PAGE = 200;
const LOOK_AGAIN = 4000; // ms between checks for changes of the thread by another tab or program

/** Whether a turn was interrupted and is not running, because the service ended or was stopped. */
export const isCutShort = ({ state, live }: Shown): boolean => live === null && state?.status === "cut_short";

export class Conversation {
  readonly shown;
  /** The text that is being written. It changes many times a second, and nothing but its own component depends on it. */
  readonly writing = createStore("");
  private stopping = new AbortController();
  private run: Run | null = null;
  private loadingOlder = false;
  /** The last text typed into the field of a question. */
  private tried = { node: "", text: "" };

  constructor(readonly id: string) {
    this.shown = createStore<Shown>({
      ...{ thread: null, state: null, messages: [], older: null, live: null, error: undefined },
      ...{ queue: waitingToSend.get(id), unsent: unsentOf(id) },
    });
  }

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
    const stopped = this.isIdle() ? await heardAgain(this.shown.get(), signal) : null;
    if (stopped === null || signal.aborted || !this.isIdle()) return;
    this.writing.set(stopped.writing);
    this.change({ live: stopped });
  }

  private isIdle(): boolean {
    return this.run === null && this.shown.get().live === null;
  }

  /** Shows the message of a turn that was not stored. */
  private recall(): void {
    const { state } = this.shown.get();
    if (!this.isIdle() || state?.run?.status === "running") return;
    const message = state?.run?.unread ?? sent.get(this.id);
    sent.set(this.id, null);
    this.change({ live: recalled(this.shown.get(), message) });
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
    const unsent = leftUnsent(this.id, page.items);
    this.change({ thread, state, error: undefined, unsent, ...withNewest(this.shown.get(), page) });
  }

  async loadOlder(limit = PAGE): Promise<void> {
    const { older } = this.shown.get();
    if (older === null || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const page = await api.messages(this.id, older, limit);
      this.change(withOlder(this.shown.get(), page));
    } catch (error) {
      failed(error);
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Loads older messages until one of them is there. */
  async reach(has: (message: Message) => boolean): Promise<boolean> {
    for (;;) {
      const { messages, older } = this.shown.get();
      if (messages.some(has)) return true;
      if (older === null) return false;
      await this.loadOlder(LARGEST_PAGE);
      if (this.shown.get().older === older) return false;
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
      if (signal.aborted) return;
      if (thread.updated === now?.updated && thread.status === now.status) return await this.lookAtQuestion(signal);
      const last = this.shown.get().messages.at(-1)?.seq;
      await this.refresh(signal, thread);
      // The reason of a failed turn is shown until another turn, which may have been sent meanwhile.
      const { messages, live: shown } = this.shown.get();
      if (messages.at(-1)?.seq !== last && shown !== null && shown.ending !== null) this.change({ live: null });
      await this.takeUp(signal);
    } catch {
      // The next check may succeed; the next action of the user shows the error.
    }
  }

  /** A flow that was changed meanwhile does not change the conversation, but what a reply means. */
  private async lookAtQuestion(signal: AbortSignal): Promise<void> {
    const { state } = this.shown.get();
    const waiting = state?.waiting_for;
    if (!waiting || waiting.kind === "message" || waiting.outdated) return;
    const now = await api.state(this.id);
    if (signal.aborted || this.run !== null || this.shown.get().state !== state) return;
    if (now.waiting_for?.outdated) this.change({ state: now });
  }

  private async followRun(run: Run, live: Live, signal: AbortSignal): Promise<void> {
    // A check for changes may have found the run before the answer to sending it came.
    if (this.run?.id === run.id) return;
    this.run = run;
    let now = live;
    const show = (events: RunEvent[]) => {
      const before = now;
      for (const event of events) now = after(now, event);
      this.writing.set(now.writing);
      // It is over only when the state of the thread is known, because a yes must not go to an earlier question.
      if (!sameButText(before, now)) this.change({ live: { ...now, ending: null } });
    };
    this.writing.set("");
    this.change({ live: now });
    const problem = await hearRun(run.id, signal, show, (lost) => {
      if (lost !== now.lost) this.change({ live: (now = { ...now, lost }) });
    });
    if (signal.aborted) return;
    if (problem !== undefined) failed(problem);
    await this.refresh(signal).catch((error: unknown) => failed(error));
    if (signal.aborted) return;
    this.run = null;
    const { ending, problem: reason, unread } = now;
    // The reason of a failed turn is shown until the next turn; one that can be finished says so itself.
    const isUndone = ending !== "turn_ended" || reason !== null || unread !== "";
    const stays = isUndone && (unread !== "" || this.shown.get().state?.status !== "cut_short");
    if (!isUndone) sent.set(this.id, null);
    this.change({ live: stays ? { ...now, ending: ending ?? "run_failed" } : null });
    invalidate("threads?");
    if (!isUndone) void this.sendNext();
  }

  /** Sends the first message that waits, unless it would answer a question about an approval. */
  async sendNext(anyway = false): Promise<void> {
    const { queue, state, live } = this.shown.get();
    const [next, ...rest] = queue;
    if (!next || (live !== null && (!anyway || live.ending === null))) return;
    if (state?.waiting_for?.approval && !anyway) return;
    this.enqueue(rest);
    if (!(await this.send(next.text, next.files, ""))) this.enqueue([next, ...this.shown.get().queue]);
  }

  /** Replaces the messages that wait. */
  enqueue(queue: readonly Queued[]): void {
    waitingToSend.set(this.id, queue);
    this.change({ queue });
  }

  private async perform(live: Live, asks: Unsent["asks"], files: Given[] = []): Promise<boolean> {
    const after = this.shown.get().messages.at(-1)?.seq ?? -1;
    const { message: text, decision } = live;
    return this.request({ key: crypto.randomUUID(), text, files, asks, decision, after }, live);
  }

  private async request(turn: Unsent, live: Live): Promise<boolean> {
    if (this.run !== null) return false;
    const { unsent } = this.shown.get();
    const isAgain = unsent.includes(turn);
    keep(this.id, turn);
    this.change({ live, unsent: unsent.filter((each) => each !== turn) });
    try {
      const run = await requested(this.id, turn);
      forget(this.id, turn);
      sent.set(this.id, live.message);
      invalidate("threads?");
      void this.followRun(run, live, this.stopping.signal);
      return true;
    } catch (error) {
      const isKept = turn.text !== null && isUnanswered(error);
      // A message that is refused when it is sent again is in no other place.
      if (!isKept && !isAgain) forget(this.id, turn);
      this.change({ live: null, unsent: unsentOf(this.id) });
      if (isKept) return true;
      failed(error);
      if (error instanceof Problem && error.status === 409)
        await this.refresh(this.stopping.signal).catch(() => undefined);
      return false;
    }
  }

  /** Sends a message again that got no answer. */
  sendAgain(turn: Unsent): Promise<boolean> {
    const names = turn.files.map((each) => each.name);
    return this.request(turn, begun(turn.text, names, turn.decision));
  }

  /** Gives up a message that got no answer. */
  remove(turn: Unsent): void {
    forget(this.id, turn);
    this.change({ unsent: unsentOf(this.id) });
  }

  /**
   * One turn with a message; null lets the agent begin, or continue. A yes in it confirms the shown approval. During a
   * turn the message waits.
   */
  say(message: string | null, files: Given[] = []): Promise<boolean> {
    const { live } = this.shown.get();
    if (message !== null && live !== null && live.ending === null) {
      this.enqueue([...this.shown.get().queue, { key: crypto.randomUUID(), text: message, files }]);
      return Promise.resolve(true);
    }
    return this.send(message, files, this.shown.get().state?.waiting_for?.approval?.hash ?? "");
  }

  /** Repeats the last message, or resumes an interrupted turn. */
  retry(): void {
    const { live, messages } = this.shown.get();
    const last = messages.at(-1)?.turn;
    const said = messages.findLast((each) => each.role === "user" && each.turn === last)?.text ?? null;
    const message = isCutShort(this.shown.get()) ? null : live ? live.unread || live.message : said;
    // A yes to another question does not approve anything.
    void this.send(message, [], "");
  }

  private send(message: string | null, files: Given[], approves: string): Promise<boolean> {
    const names = files.map((each) => each.name);
    const waiting = this.shown.get().state?.waiting_for?.approval;
    const { hash = "", plain = false } = waiting ?? {};
    const decision = waiting && message !== null ? { decision: "answered" as const, hash, plain } : null;
    return this.perform(begun(message, names, decision), { message, approves }, files);
  }

  /** One turn that answers the waiting question with a value, which was typed as `tried`. */
  answer(value: Json, shownAs: string, tried = { node: "", text: "" }): Promise<boolean> {
    this.tried = tried;
    return this.perform(begun(shownAs), { value, approves: "" });
  }

  /** One turn with a yes to exactly this content, or a no. */
  decide(yes: boolean, shownAs: string, { hash, plain }: Approval): Promise<boolean> {
    const live = begun(shownAs, [], { decision: yes ? "approved" : "rejected", hash, plain });
    return this.perform(live, { value: yes, approves: yes ? hash : "" });
  }

  /** The text typed at a question that is asked again; empty if it is asked for the first time. */
  triedAt(node: string): string {
    return this.tried.node === node ? this.tried.text : "";
  }

  async stop(): Promise<void> {
    if (this.run) await api.cancel(this.run.id).catch(failed);
  }

  /** Changes the title, the folder or the model of the thread, or whether it is pinned. */
  async alter(change: { title?: string; folder?: string; model?: string; pinned?: boolean }): Promise<void> {
    const thread = await api.changeThread(this.id, change);
    this.change({ thread: { ...this.shown.get().thread, ...thread } });
    invalidate("threads?");
    invalidate("folders");
  }

  /** Rates the answer of a turn; null takes the rating back. */
  async rate(turn: number, rating: { rating: "good" | "bad"; comment: string } | null): Promise<void> {
    const feedback = rating ? await api.giveFeedback(this.id, turn, rating) : undefined;
    if (!rating) await api.takeFeedbackBack(this.id, turn);
    const { messages } = this.shown.get();
    const last = messages.findLast((each) => each.turn === turn && each.role === "assistant");
    const rated = ({ feedback: _, ...rest }: Message): Message => (feedback ? { ...rest, feedback } : rest);
    this.change({ messages: messages.map((each) => (each === last ? rated(each) : each)) });
  }

  /** A new thread that continues from this one before a turn, with a message. Returns its id. */
  branchBefore(turn: number, message: string): Promise<string> {
    return branchedBefore({ thread: this.id, agent: this.shown.get().thread?.agent ?? "" }, turn, message);
  }
}
