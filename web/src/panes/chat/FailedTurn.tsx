// A failed turn: one sentence, and a second attempt. The details are for authors.

import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { STOPPED } from "../../api/events";
import { useMayEdit, useMayWrite } from "../../app/access";
import { useText } from "../../app/language";
import { type Told, plainWordsOf } from "../../app/problems";
import { hashOf } from "../../app/router";
import { Button, Disclosure, classes } from "../../ui";
import { coded } from "../../ui/states";
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
  const mayEdit = useMayEdit();
  const isStopped = problem.code === STOPPED;
  const details = isStopped ? [] : [problem.detail, problem.hint].filter(Boolean);
  return (
    <div className={classes("turn-problem", !isStopped && "turn-failed")} role="alert">
      <p>{isStopped ? say.stopped : coded(plainWordsOf(problem) || say.turnFailed)}</p>
      {mayWrite && onRetry && (
        <Button icon={RotateCcw} onClick={onRetry} keys="r">
          {say.retry}
        </Button>
      )}
      {mayEdit && (turn !== undefined || details.length > 0) && (
        <Disclosure className="turn-details" summary={say.details}>
          {() => (
            <>
              {details.map((each) => (
                <p key={each}>{coded(each)}</p>
              ))}
              {turn && <a href={hashOf("trace", [thread], { turn: String(turn) })}>{say.openTrace}</a>}
            </>
          )}
        </Disclosure>
      )}
    </div>
  );
}
