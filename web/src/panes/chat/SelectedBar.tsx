// The actions for several selected conversations.

import { Folder, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../../api";
import { useText } from "../../app/language";
import { invalidate } from "../../app/resource";
import { Button, IconButton } from "../../ui";
import { AskToDelete } from "./Ask";
import { MoveTo, deleteThreads } from "./threadActions";
import { words } from "./words";

export function SelectedBar({ selected, onDone }: { selected: ReadonlySet<string>; onDone(): void }): ReactNode {
  const say = useText(words);
  const [dialog, setDialog] = useState<"move" | "delete" | null>(null);
  const threads = [...selected];
  const none = threads.length === 0;
  /** The threads with their branches, which are one row of the list. */
  const withBranches = async () => {
    const families = await Promise.all(threads.map((each) => api.branches(each)));
    return [...new Set(families.flatMap((each) => each.items.map((branch) => branch.thread)))];
  };
  return (
    <footer className="selected-bar">
      <span>{say.selected(threads.length)}</span>
      <IconButton icon={Folder} label={say.toFolder} disabled={none} onClick={() => setDialog("move")} />
      <IconButton icon={Trash2} label={say.delete} disabled={none} onClick={() => setDialog("delete")} />
      <Button look="quiet" onClick={onDone}>
        {say.done}
      </Button>
      {dialog === "move" && (
        <MoveTo
          folder=""
          onClose={() => setDialog(null)}
          onMove={async (folder) => {
            for (const each of await withBranches()) await api.changeThread(each, { folder });
            invalidate("threads?");
            invalidate("folders");
            onDone();
          }}
        />
      )}
      {dialog === "delete" && (
        <AskToDelete
          title={say.deleteSeveral(threads.length)}
          text={say.deleteText}
          action={say.delete}
          onClose={() => setDialog(null)}
          onDone={async () => {
            await deleteThreads(await withBranches(), say.deletedSeveral(threads.length));
            onDone();
          }}
        />
      )}
    </footer>
  );
}
