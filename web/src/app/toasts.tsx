// Short messages at the edge of the page: completed actions and errors.

import { CircleAlert, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { wordsOfError } from "./problems";
import { createStore, useStore } from "./store";
import { visible } from "../ui/visible";

interface Toast {
  id: number;
  text: string;
  more: string;
  bad: boolean;
}

const toasts = createStore<readonly Toast[]>([]);
let count = 0;

function show(text: string, more: string, bad: boolean): void {
  const id = ++count;
  toasts.set([...toasts.get(), { id, text, more, bad }].slice(-3));
  setTimeout(() => toasts.set(toasts.get().filter((each) => each.id !== id)), bad ? 9000 : 3500);
}

export const told = (text: string): void => show(text, "", false);

export function failed(error: unknown): void {
  const { text, more } = wordsOfError(error);
  show(text, more, true);
}

export function Toasts(): ReactNode {
  const all = useStore(toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {all.map((each) => (
        <div key={each.id} className={each.bad ? "toast toast-bad" : "toast"}>
          {each.bad ? <CircleAlert size={16} aria-hidden /> : <CircleCheck size={16} aria-hidden />}
          <div>
            {visible(each.text)}
            {each.more && <div className="muted">{visible(each.more)}</div>}
          </div>
        </div>
      ))}
    </div>
  );
}
