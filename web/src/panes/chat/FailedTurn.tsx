// Why a turn failed: the cause, and what can be done.

import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { type Told, wordsOf } from "../../app/problems";
import { hashOf } from "../../app/router";
import { Button } from "../../ui";
import { visible } from "../../ui/visible";
import { words } from "./words";

interface Props {
  thread: string;
  /** Undefined if the service did not begin it. */
  turn: number | undefined;
  problem: Told;
  onRetry?: (() => void) | undefined;
}

export function FailedTurn({ thread, turn, problem, onRetry }: Props): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const { text, more } = wordsOf(problem);
  // The text of the app may be general: the cause is what the service says.
  const cause = more || (text === problem.detail ? problem.hint : problem.detail);
  return (
    <div className="turn-problem turn-failed" role="alert">
      <p>
        <strong>{say.turnFailed}</strong> {visible(text)}
      </p>
      {cause && <p className="muted">{visible(cause)}</p>}
      <div className="turn-problem-actions">
        {mayWrite && onRetry && (
          <Button icon={RotateCcw} onClick={onRetry} keys="r">
            {say.retry}
          </Button>
        )}
        {turn && <a href={hashOf("trace", [thread], { turn: String(turn) })}>{say.openTrace}</a>}
      </div>
    </div>
  );
}
