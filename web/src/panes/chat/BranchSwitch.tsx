// The versions of a turn, as `2/3` between two arrows. Another version is a branch, which is opened in place.

import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Branch } from "../../api";
import { useText } from "../../app/language";
import { go, hashOf } from "../../app/router";
import { IconButton } from "../../ui";
import { versionsOf } from "./branches";
import { words } from "./words";

interface Props {
  thread: string;
  turn: number;
  family: readonly Branch[];
}

export function BranchSwitch({ thread, turn, family }: Props): ReactNode {
  const say = useText(words);
  const versions = versionsOf(thread, turn, family);
  if (!versions) return null;
  const { threads, at } = versions;
  const open = (place: number) => {
    const other = threads[place];
    if (other) go(hashOf("chat", [other], { turn: String(turn) }), { replace: true });
  };
  return (
    <span className="branch-switch" role="group" aria-label={say.versions}>
      <IconButton icon={ChevronLeft} label={say.versionBefore} disabled={at === 0} onClick={() => open(at - 1)} />
      <span aria-current="true">
        {at + 1}/{threads.length}
      </span>
      <IconButton
        icon={ChevronRight}
        label={say.versionAfter}
        disabled={at === threads.length - 1}
        onClick={() => open(at + 1)}
      />
    </span>
  );
}
