// The result of a conversation: a mark, and the difference from its golden trace.

import { CircleCheck, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import type { TestResult } from "./api";
import { words } from "./words";

/** The result of a conversation; one of an earlier text has no colour. */
export function Mark({ status, isOld }: { status: TestResult["status"]; isOld: boolean }): ReactNode {
  const passed = status === "passed";
  const Icon = passed ? CircleCheck : CircleX;
  return <Icon size={15} className={isOld ? "faint" : passed ? "editor-good" : "test-failed"} aria-label={status} />;
}

const KINDS: Record<string, string> = { "+": "meaning-added", "-": "meaning-removed", "@": "meaning-heading" };

/** The difference from the golden trace: what was stored, and what happened now. */
export function Golden({ lines }: { lines: readonly string[] }): ReactNode {
  const say = useText(words);
  return (
    <Disclosure summary={say.golden} open>
      {() => (
        <ul className="editor-meaning">
          {lines.map((line, index) => (
            <li key={index} className={KINDS[line.charAt(0)] ?? "meaning-detail"}>
              {visible(line)}
            </li>
          ))}
        </ul>
      )}
    </Disclosure>
  );
}
