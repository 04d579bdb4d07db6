// The state of an experiment.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Badge, type Tone } from "../../ui";
import { states } from "./words";

const TONES: Record<string, Tone> = { enrolling: "good", enrollmentComplete: "accent", cancelled: "bad" };

/** The state of an experiment as a badge; a state that the app does not know is shown unchanged. */
export function State({ of: state }: { of: string }): ReactNode {
  const say: Record<string, string> = useText(states);
  return <Badge tone={TONES[state] ?? "neutral"}>{say[state] ?? state}</Badge>;
}
