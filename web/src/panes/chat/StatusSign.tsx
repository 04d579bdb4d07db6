// The state of a conversation as a sign: a shield where an approval is pending, a square where the user stopped a turn,
// otherwise a dot.

import { CircleStop, ShieldAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Thread } from "../../api";
import { useText } from "../../app/language";
import { StatusDot } from "../../ui";
import { words } from "./words";

interface Props {
  of: Pick<Thread, "status" | "waiting_for">;
  /** The user stopped the last turn. */
  stopped: boolean;
}

export function StatusSign({ of: { status, waiting_for }, stopped }: Props): ReactNode {
  const say = useText(words);
  if (status === "running") return <StatusDot tone="busy" label={say.running} />;
  if (status === "cut_short") return <StatusDot tone="bad" label={say.cutShortSign} />;
  if (status === "failed") return <StatusDot tone="bad" label={say.failed} />;
  if (stopped && waiting_for?.kind !== "confirm")
    return (
      <span className="thread-stopped" role="img" aria-label={say.stoppedSign} title={say.stoppedSign}>
        <CircleStop size={14} aria-hidden />
      </span>
    );
  if (status !== "waiting") return null;
  if (waiting_for?.kind !== "confirm") return <StatusDot tone="warn" label={say.waiting} />;
  return (
    <span className="thread-asks" role="img" aria-label={say.waitsForYes} title={say.waitsForYes}>
      <ShieldAlert size={14} aria-hidden />
    </span>
  );
}
