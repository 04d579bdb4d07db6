// The actions of the user: every action is a command, which can be found in the palette and has a key.
//
// Keys are written `mod+k` (Ctrl, or Cmd on a Mac), `shift+mod+e`, `escape`, a letter, or two in a row: `g c`. A single
// letter does nothing while the user is typing, and nothing irreversible without Enter.

import { useEffect, useRef } from "react";
import type { LucideIcon } from "lucide-react";
import { aim } from "./aim";
import { createStore } from "./store";

export interface Command {
  id: string;
  title: string;
  group: string;
  keys?: string;
  icon?: LucideIcon;
  /** It is available everywhere: listed after the commands of the open pane. */
  everywhere?: boolean;
  /** Additional words by which the palette finds it. */
  also?: string;
  run(): void;
  /** Its key does nothing while this is true. */
  isHeld?(): boolean;
  /** For an irreversible action: the button that its key focuses. */
  button?(): HTMLElement | null | undefined;
}

export const commands = createStore<readonly Command[]>([]);
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Offers commands while the component is mounted. If several have the same id, the last one is used. */
export function useCommands(offered: readonly Command[]): void {
  const latest = useRef(offered);
  useEffect(() => {
    latest.current = offered;
  });
  const shape = JSON.stringify(offered.map((each) => [each.id, each.title, each.group, each.keys]));
  useEffect(() => {
    const mine = latest.current.map((each) => ({
      ...each,
      run: () => latest.current.find((other) => other.id === each.id)?.run(),
    }));
    commands.set([...commands.get(), ...mine]);
    return () => commands.set(commands.get().filter((each) => !mine.includes(each)));
  }, [shape]);
}

/** All commands, each once, those of the open pane first. */
export function offeredCommands(all: readonly Command[]): Command[] {
  const once = [...new Map(all.map((each) => [each.id, each])).values()];
  return [...once.filter((each) => !each.everywhere), ...once.filter((each) => each.everywhere)];
}

export function keyOf(event: KeyboardEvent): string {
  const name = event.key === " " ? "space" : event.key.toLowerCase();
  const parts = [];
  // A character such as `?` needs shift on some keyboards only.
  if (event.shiftKey && (name.length > 1 || /[a-z]/.test(name))) parts.push("shift");
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("mod");
  if (event.altKey) parts.push("alt");
  return [...parts, name].join("+");
}

export const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(textarea|select)$/i.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(button|checkbox|radio|file|submit)$/.test(target.type)));

/** A dialog, a menu or a list of choices, which handles keys itself. */
const IS_OPEN = "[role=dialog][data-open], [role=menu][data-open], [role=listbox][data-open]";
const PAUSE = 1200; // ms between the two keys of a sequence
let first: { key: string; time: number } | null = null;

/** Runs the command of a key. While a dialog is open, only the dialog handles keys. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.repeat) return;
  const key = keyOf(event);
  const plain = !key.includes("mod+") && key !== "escape";
  if ((plain && isWriting(event.target)) || document.querySelector(IS_OPEN)) {
    first = null;
    return;
  }
  const all = offeredCommands(commands.get());
  const before = first !== null && event.timeStamp - first.time < PAUSE ? `${first.key} ${key}` : "";
  const found = all.find((each) => each.keys === before) ?? all.find((each) => each.keys === key);
  first = null;
  if (found?.isHeld?.()) return;
  if (found) {
    event.preventDefault();
    if (found.button) aim(found.button(), event.key);
    else found.run();
  } else if (plain && all.some((each) => each.keys?.startsWith(`${key} `))) {
    first = { key, time: event.timeStamp };
  }
}

/** The readable form of a key: `⌘K`, `Ctrl K`, `G C`. */
export function keyText(keys: string): string[] {
  const names: Record<string, string> = {
    mod: isMac ? "⌘" : "Ctrl",
    shift: isMac ? "⇧" : "Shift",
    alt: isMac ? "⌥" : "Alt",
    escape: "Esc",
    enter: "↵",
    backspace: "⌫",
    delete: "Del",
    arrowup: "↑",
    arrowdown: "↓",
  };
  return keys
    .split(/(?<=[^+ ])[+ ]/)
    .map((part) => names[part] ?? (/^(.|f\d+)$/.test(part) ? part.toUpperCase() : part));
}
