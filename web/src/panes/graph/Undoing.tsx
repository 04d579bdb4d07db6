// Undoing an entry of the journal after a preview; and its offer in the conversation that made the entry.

import { Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { told } from "../../app/toasts";
import { Button, Dialog, DialogActions, Failure, Loaded } from "../../ui";
import { graphApi } from "./api";
import { Changes } from "./Changes";
import { words } from "./words";

interface Props {
  goal: string;
  onClose(): void;
  /** `by` is the entry that undid it. */
  onDone(by: string): void;
}

export function Undoing({ goal, onClose, onDone }: Props): ReactNode {
  const say = useText(words);
  const preview = useResource(`graph/undo/${goal}`, () => graphApi.previewUndo(goal));
  const [refused, setRefused] = useState<unknown>(undefined);
  const [busy, setBusy] = useState(false);
  const undo = (hash: string) => {
    setBusy(true);
    graphApi.undo(goal, hash).then(
      (done) => {
        onClose();
        told(say.undone);
        invalidate("graph");
        onDone(done.goal);
      },
      (error: unknown) => {
        // The graph has changed in the meantime: the preview is loaded again.
        setRefused(error);
        void preview.reload().then(() => setBusy(false));
      },
    );
  };
  return (
    <Dialog title={say.undoing(goal)} onClose={onClose}>
      <div className="dialog-content">
        {refused !== undefined && preview.error === undefined && <Failure error={refused} />}
        {/* An outdated preview is not shown. */}
        <Loaded of={refused !== undefined && preview.error !== undefined ? { ...preview, data: undefined } : preview}>
          {({ changes, hash }) => (
            <>
              <p>{changes.length > 0 ? say.would : say.nothing}</p>
              <Changes of={changes} />
              <DialogActions onCancel={onClose}>
                <Button look="danger" busy={busy} disabled={changes.length === 0} onClick={() => undo(hash)}>
                  {say.undo}
                </Button>
              </DialogActions>
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

/** Undoes what a turn changed; or leads to the entry that undid it. */
export function UndoOffer({ goal }: { goal: string }): ReactNode {
  const say = useText(words);
  const found = useResource(`graph/journal/${goal}`, () => graphApi.goal(goal));
  const [undoing, setUndoing] = useState(false);
  const entry = found.data;
  if (!entry || (!entry.undoable && !entry.undone_by)) return null;
  return (
    <p className="recorded">
      {entry.undone_by ? (
        <>
          <Undo2 size={14} aria-hidden />
          <a href={hashOf("graph", ["journal", entry.undone_by])}>{say.undoneBy(entry.undone_by)}</a>
        </>
      ) : (
        <Button icon={Undo2} onClick={() => setUndoing(true)}>
          {say.undoing(entry.goal)}…
        </Button>
      )}
      <a href={hashOf("graph", ["journal", entry.goal])}>{say.inJournal}</a>
      {undoing && <Undoing goal={goal} onClose={() => setUndoing(false)} onDone={() => void found.reload()} />}
    </p>
  );
}
