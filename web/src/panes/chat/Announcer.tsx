// Announces a conversation to screen readers: that an answer is in progress, its text, and what waits.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { titleOf } from "./approvalTitle";
import type { Shown } from "./session";
import { words } from "./words";

const LONGEST = 400; // characters of an answer that are read out; the rest is in the log

export function Announcer({ shown: { messages, state, live } }: { shown: Shown }): ReactNode {
  const say = useText(words);
  const last = messages.at(-1);
  const approval = state?.waiting_for?.approval;
  const told = live
    ? live.ending === null && say.working
    : [last && last.role !== "user" && brief(last.text), approval && titleOf(approval, say)].filter(Boolean).join(" ");
  return (
    <p className="visually-hidden" role="status">
      {told || ""}
    </p>
  );
}

const brief = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
