// Asks before a draft is left that could not be saved.

import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { currentPlace } from "../../app/router";
import { Button, Dialog } from "../../ui";
import { useText } from "../../app/language";
import { useSession } from "./useSession";
import { words } from "./words";

export function Leaving(): ReactNode {
  const session = useSession();
  const say = useText(words);
  const { agent } = session;
  const blocker = useBlocker({
    shouldBlockFn: async () => {
      await session.save();
      return ["unsaved", "offline", "conflict", "refused"].includes(session.state.get().saving);
    },
    enableBeforeUnload: () => session.state.get().saving !== "saved" && currentPlace().rest[0] === agent,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog title={say.leaveTitle} onClose={blocker.reset}>
      <div className="dialog-content">
        <p>{say.leaveWhat}</p>
        <div className="dialog-actions">
          <Button autoFocus onClick={blocker.reset}>
            {say.stay}
          </Button>
          <Button look="danger" onClick={blocker.proceed}>
            {say.leave}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
