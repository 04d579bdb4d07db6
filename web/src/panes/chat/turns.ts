// The messages of a conversation by their turn.

import type { Decided, Message } from "../../api";

export interface TurnMessages {
  /** 0 for the messages at the start of a branch. */
  turn: number;
  messages: Message[];
  /** The decision that this turn begins with: its message is the answer to the approval of the turn before. */
  decides: Decided | null;
  /** This turn, after those whose approvals led to it: their steps are shown with its answer. */
  steps: readonly number[];
}

/** Messages by their turn, in order. */
export function turnsOf(messages: readonly Message[]): TurnMessages[] {
  const turns: TurnMessages[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last && last.turn === message.turn) last.messages.push(message);
    else turns.push(begunBy(message, last));
  }
  return turns;
}

function begunBy(message: Message, before: TurnMessages | undefined): TurnMessages {
  const decides = decisionIn(before);
  const steps = message.turn > 0 ? [message.turn] : [];
  return {
    turn: message.turn,
    messages: [message],
    decides,
    steps: decides && before ? [...before.steps, ...steps] : steps,
  };
}

/** The approval of a turn, unless the user wrote something else than a yes or a no. */
function decisionIn(turn: TurnMessages | undefined): Decided | null {
  const decided = turn?.messages.findLast((each) => each.approval)?.approval;
  return decided && decided.decision !== "replaced" ? decided : null;
}
