// The collections in which a turn kept records, for those who may read them.

import { Archive } from "lucide-react";
import type { ReactNode } from "react";
import type { RunEvent } from "../../api";
import { useMe } from "../../app/access";
import { useText } from "../../app/language";
import { hashOf } from "../../app/router";
import { ofTrial } from "../../app/trials";
import { visible } from "../../ui/visible";
import { words } from "./words";

export function Recorded({ events }: { events: readonly RunEvent[] }): ReactNode {
  const say = useText(words);
  const isAdmin = useMe().role === "admin";
  const names = events.flatMap((each) => (each.type === "action_finished" ? (each.recorded ?? []) : []));
  if (!isAdmin) return null;
  return [...new Set(names)].map((each) => {
    const trial = ofTrial(each);
    return (
      <p key={each} className="recorded">
        <Archive size={14} aria-hidden />
        <a href={hashOf("logs", ["records", each])}>
          {trial ? say.triedIn(visible(trial.name)) : say.recordedIn(visible(each))}
        </a>
      </p>
    );
  });
}
