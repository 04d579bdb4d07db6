// The actions for a conversation: pin, rename, move, export, delete. The list and the head offer the same.

import { BookmarkPlus, Download, Folder, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { type ReactNode, Suspense, lazy, useState } from "react";
import { type Thread, address, api, download } from "../../api";
import { useMayEdit, useMayWrite } from "../../app/access";
import type { Command } from "../../app/commands";
import { useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { currentPlace, go, hashOf } from "../../app/router";
import { failed, told } from "../../app/toasts";
import { MenuItem, MenuLine } from "../../ui";
import { withoutMarks } from "../../ui/plain";
import { Ask, AskToDelete } from "./Ask";
import { words } from "./words";

// It belongs to the editor, which the chat does not need otherwise.
const Record = lazy(() => import("../editor/Record").then((module) => ({ default: module.Record })));

const LONGEST_TITLE = 200; // characters, as in the service
const LONGEST_FOLDER = 80;
const CLOSED = 150; // ms after which a dialog and a conversation are closed

type Change = { title?: string; folder?: string; pinned?: boolean };

/** The actions of a thread, and the dialog that one of them has opened. `alter` stores a change. */
export function useThreadActions(thread: Thread | null, alter: (change: Change) => Promise<unknown>) {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const mayEdit = useMayEdit();
  const [dialog, setDialog] = useState<"rename" | "folder" | "delete" | "record" | null>(null);
  const id = thread?.thread ?? "";
  const exportAs = (format: "markdown" | "json") =>
    void download(
      address(`threads/${encodeURIComponent(id)}/export`, { format }),
      `${withoutMarks(thread?.title || id)}.${format === "json" ? "json" : "md"}`,
    ).catch(failed);
  const writing: Omit<Command, "group">[] = [
    {
      id: "chat.pin",
      title: thread?.pinned ? say.unpin : say.pin,
      keys: "shift+p",
      icon: thread?.pinned ? PinOff : Pin,
      run: () => void alter({ pinned: !thread?.pinned }).catch(failed),
    },
    { id: "chat.rename", title: say.rename, keys: "f2", icon: Pencil, run: () => setDialog("rename") },
    { id: "chat.folder", title: say.toFolder, keys: "shift+m", icon: Folder, run: () => setDialog("folder") },
  ];
  const actions: Omit<Command, "group">[] = [
    ...(mayWrite ? writing : []),
    ...(mayEdit
      ? [
          {
            id: "chat.record",
            title: say.keepAsTest,
            keys: "shift+b",
            icon: BookmarkPlus,
            run: () => setDialog("record"),
          },
        ]
      : []),
    { id: "chat.export", title: say.exportMarkdown, keys: "shift+e", icon: Download, run: () => exportAs("markdown") },
    { id: "chat.exportJson", title: say.exportJson, keys: "shift+s", icon: Download, run: () => exportAs("json") },
    ...(mayWrite
      ? [
          {
            id: "chat.delete",
            title: say.delete,
            keys: "shift+backspace",
            icon: Trash2,
            run: () => setDialog("delete"),
          },
        ]
      : []),
  ];
  const close = () => setDialog(null);
  const shown = thread && (
    <>
      {dialog === "rename" && (
        <Ask
          title={say.rename}
          label={say.title}
          value={thread.title}
          most={LONGEST_TITLE}
          action={say.save}
          onClose={close}
          onDone={(title) => alter({ title })}
        />
      )}
      {dialog === "folder" && <MoveTo folder={thread.folder} onClose={close} onMove={(folder) => alter({ folder })} />}
      {dialog === "record" && (
        <Suspense>
          <Record agent={thread.agent} thread={thread.thread} onClose={close} />
        </Suspense>
      )}
      {dialog === "delete" && <DeleteThread thread={thread} onClose={close} />}
    </>
  );
  return { actions, dialog: shown };
}

/** The items of a menu with these actions. */
export function ActionItems({ actions, keys }: { actions: Omit<Command, "group">[]; keys?: boolean }): ReactNode {
  return actions.map((each) => (
    <div key={each.id} role="presentation">
      {each.id === "chat.delete" && <MenuLine />}
      <MenuItem
        icon={each.icon!}
        keys={keys ? each.keys : undefined}
        {...(each.id === "chat.delete" ? { look: "danger" as const } : {})}
        onSelect={each.run}
      >
        {each.title}
      </MenuItem>
    </div>
  ));
}

/** Asks for a folder: one of the known ones, a new one, or none. */
export function MoveTo(props: {
  folder: string;
  onClose(): void;
  onMove(folder: string): Promise<unknown>;
}): ReactNode {
  const say = useText(words);
  const folders = useResource("folders", api.folders);
  return (
    <Ask
      title={say.toFolder}
      note={say.folderNote}
      label={say.folder}
      value={props.folder}
      most={LONGEST_FOLDER}
      mayBeEmpty
      known={folders.data?.items.map((each) => each.name) ?? []}
      action={say.move}
      onClose={props.onClose}
      onDone={props.onMove}
    />
  );
}

/** Deletes threads, and leaves the open one if it is one of them. */
export async function deleteThreads(threads: string[], done: string): Promise<void> {
  await api.deleteThreads(threads);
  told(done);
  if (threads.includes(currentPlace().rest[0] ?? "")) go(hashOf("chat"));
  // After the views of the deleted threads are closed: they would ask for what is gone.
  setTimeout(() => ["threads?", "folders", "branches?"].forEach(invalidate), CLOSED);
}

function DeleteThread({ thread, onClose }: { thread: Thread; onClose(): void }): ReactNode {
  const say = useText(words);
  const family = useResource(`branches?${thread.thread}`, () => api.branches(thread.thread));
  const all = family.data?.items.map((each) => each.thread) ?? [];
  return (
    <AskToDelete
      title={say.deleteTitle}
      text={say.deleteText}
      action={all.length > 1 ? say.deleteThis : say.delete}
      others={
        all.length > 1
          ? { title: say.deleteBranches(all.length), run: () => deleteThreads(all, say.deletedSeveral(all.length)) }
          : null
      }
      onClose={onClose}
      onDone={() => deleteThreads([thread.thread], say.deleted)}
    />
  );
}
