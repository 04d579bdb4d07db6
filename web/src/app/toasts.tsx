// Short messages at the edge of the page: what was done, or what failed.

import { CircleAlert, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Problem } from "../api";
import { createStore, useStore } from "./store";

interface Toast {
  id: number;
  text: string;
  hint: string;
  bad: boolean;
}

const toasts = createStore<readonly Toast[]>([]);
let count = 0;

function show(text: string, hint: string, bad: boolean): void {
  const id = ++count;
  toasts.set([...toasts.get(), { id, text, hint, bad }].slice(-3));
  setTimeout(() => toasts.set(toasts.get().filter((each) => each.id !== id)), bad ? 9000 : 3500);
}

export const told = (text: string): void => show(text, "", false);

export function failed(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  show(text, error instanceof Problem ? error.hint : "", true);
}

export function Toasts(): ReactNode {
  const all = useStore(toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {all.map((each) => (
        <div key={each.id} className={each.bad ? "toast toast-bad" : "toast"}>
          {each.bad ? <CircleAlert size={16} aria-hidden /> : <CircleCheck size={16} aria-hidden />}
          <div>
            {each.text}
            {each.hint && <div className="muted">{each.hint}</div>}
          </div>
        </div>
      ))}
    </div>
  );
}
