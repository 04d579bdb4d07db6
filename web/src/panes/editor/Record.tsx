// Keeping a trial or another conversation as a scripted conversation of the agent.

import { Download, Save } from "lucide-react";
import { type ReactNode, useState } from "react";
import { identifierOf } from "../../app/identifier";
import { useText } from "../../app/language";
import { invalidate } from "../../app/resource";
import { failed, told } from "../../app/toasts";
import { Button, Dialog, DialogActions } from "../../ui";
import { visible } from "../../ui/visible";
import { editorApi } from "./api";
import { saveText } from "./files";
import { words } from "./words";

interface Props {
  agent: string;
  thread: string;
  /** The name of the test that it replaces; empty for a new one. */
  replaces?: string;
  onClose(): void;
}

export function Record({ agent, thread, replaces = "", onClose }: Props): ReactNode {
  const say = useText(words);
  const [written, setWritten] = useState(replaces);
  const name = identifierOf(written);
  const [notes, setNotes] = useState<string[] | null>(null);
  const record = async (keep: boolean) => {
    try {
      const made = await editorApi.record(agent, thread, name, keep, keep && name === replaces);
      if (keep) told(say.recorded(made.file));
      else saveText(`${name}.conversation.yaml`, made.text);
      invalidate(`palette:${agent}`);
      setNotes(made.notes);
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Dialog title={say.record} onClose={onClose}>
      <form
        className="dialog-content"
        onSubmit={(event) => {
          event.preventDefault();
          if (name) void record(true);
        }}
      >
        <p className="muted">{say.recordWhat}</p>
        <label className="field">
          <span>{say.recordName}</span>
          <input autoFocus value={written} maxLength={60} onChange={(event) => setWritten(event.target.value)} />
        </label>
        {/* Always a line, so that the button below does not move while somebody writes. */}
        <small className="faint">{name ? say.recordFile(name) : say.recordRule}</small>
        {notes && notes.length > 0 && (
          <ul className="record-notes">
            {notes.map((each, index) => (
              <li key={index} className="faint">
                {visible(each)}
              </li>
            ))}
          </ul>
        )}
        <DialogActions onCancel={onClose}>
          <Button icon={Download} onClick={() => void record(false)} disabled={!name}>
            {say.download}
          </Button>
          {notes ? (
            <Button look="primary" onClick={onClose}>
              {say.done}
            </Button>
          ) : (
            <Button look="primary" icon={Save} type="submit" disabled={!name}>
              {say.keepTest}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}
