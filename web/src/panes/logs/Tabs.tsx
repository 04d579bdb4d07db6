// The two lists of the pane, for admins: the turns, and what actions keep.

import type { ReactNode } from "react";
import { useMe } from "../../app/access";
import { useText } from "../../app/language";
import { go, hashOf } from "../../app/router";
import { words } from "./words";

export function Tabs({ records }: { records: boolean }): ReactNode {
  const say = useText(words);
  if (useMe().role !== "admin") return null;
  return (
    <div className="tabs" role="tablist" aria-label={say.title}>
      <button type="button" role="tab" aria-selected={!records} onClick={() => go(hashOf("logs"))}>
        {say.turns}
      </button>
      <button type="button" role="tab" aria-selected={records} onClick={() => go(hashOf("logs", ["records"]))}>
        {say.records}
      </button>
    </div>
  );
}
