// Whether the draft is saved; and the ways out if somebody else saved it, or its file changed.

import { type ReactNode, useState } from "react";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { wordsOfError } from "../../app/problems";
import { Button, Dialog } from "../../ui";
import { visible } from "../../ui/visible";
import { LONGEST, editorApi } from "./api";
import { Compare } from "./Compare";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

/** Whether the draft is saved, and whether it is the active document; below the title. */
export function SavingState(): ReactNode {
  const session = useSession();
  const { saving, text, server } = useSessionState();
  const say = useText(words);
  const isActive = text === server.active;
  return (
    <p className="editor-state">
      {session.mayEdit ? (
        <span role="status">{saving === "saved" || saving === "saving" ? say[saving] : say.unsaved}</span>
      ) : (
        <span>{say.readOnly}</span>
      )}
      <span className={isActive ? undefined : "editor-changed"}>
        {isActive ? (server.version > 0 ? say.version(server.version) : say.asInFolder) : say.unpublished}
      </span>
    </p>
  );
}

/** Below the head: what keeps the draft from being saved, and a file that changed on disk, with the ways out. */
export function SavingAlert(): ReactNode {
  const { saving, refusal, text } = useSessionState();
  const say = useText(words);
  return (
    <>
      <FileChanged />
      {saving === "offline" && (
        <p className="editor-alert warn" role="status">
          {say.offline}
        </p>
      )}
      {saving === "refused" && (
        <p className="editor-alert is-bad" role="alert">
          {say.refused} {text.length > LONGEST ? say.importLarge : visible(wordsOfError(refusal).text)}
        </p>
      )}
      {saving === "conflict" && <Conflict />}
    </>
  );
}

/** Somebody else saved the draft: both texts are compared before one of them is taken. */
function Conflict(): ReactNode {
  const session = useSession();
  const { text } = useSessionState();
  const say = useText(words);
  const [theirs, setTheirs] = useState<string | null>(null);
  const look = () => void editorApi.draft(session.agent).then((found) => setTheirs(found.text), failed);
  const resolve = (mine: boolean) => {
    setTheirs(null);
    void session.resolve(mine).catch(failed);
  };
  const ways = (
    <>
      <Button look="quiet" onClick={() => resolve(false)}>
        {say.takeTheirs}
      </Button>
      <Button look="quiet" onClick={() => resolve(true)}>
        {say.keepMine}
      </Button>
    </>
  );
  return (
    <div className="editor-alert is-bad" role="alert">
      <span>{say.conflict}</span>
      <Button onClick={look}>{say.compare}</Button>
      {ways}
      {theirs !== null && (
        <Dialog title={say.conflict} onClose={() => setTheirs(null)} className="compare-dialog">
          <Compare before={theirs} after={text} titles={[say.theirs, say.mine]}>
            {ways}
          </Compare>
        </Dialog>
      )}
    </div>
  );
}

/** The file of the folder is not a published version: it was changed on disk. */
function FileChanged(): ReactNode {
  const session = useSession();
  const { server, text } = useSessionState();
  const say = useText(words);
  const [open, setOpen] = useState(false);
  const [seen, setSeen] = useState("");
  if (!server.file_changed || seen === server.file || text === server.file) return null;
  return (
    <div className="editor-alert" role="alert">
      <span>{say.fileOnDisk}</span>
      <Button onClick={() => setOpen(true)}>{say.compare}</Button>
      <Button look="quiet" onClick={() => setSeen(server.file)}>
        {say.keepDraft}
      </Button>
      {open && (
        <Dialog title={say.fileOnDisk} onClose={() => setOpen(false)} className="compare-dialog">
          <Compare before={text} after={server.file} titles={[say.draft, say.file]}>
            {session.mayEdit && (
              <Button
                onClick={() => {
                  session.replace(server.file);
                  setOpen(false);
                }}
              >
                {say.takeFile}
              </Button>
            )}
          </Compare>
        </Dialog>
      )}
    </div>
  );
}
