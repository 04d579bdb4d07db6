// Dialogs of a conversation: one that asks for a text, one that asks before something is deleted.

import { type ReactNode, useId, useState } from "react";
import { failed } from "../../app/toasts";
import { Button, Dialog, DialogActions } from "../../ui";

interface AskProps {
  title: string;
  note?: string;
  label: string;
  value: string;
  action: string;
  /** The maximum number of characters. */
  most?: number;
  /** An empty text is an answer, too. */
  mayBeEmpty?: boolean;
  /** Texts to choose from. */
  known?: readonly string[];
  onClose(): void;
  onDone(value: string): Promise<unknown>;
}

/** A dialog that asks for one text. */
export function Ask(props: AskProps): ReactNode {
  const list = useId();
  const [value, setValue] = useState(props.value);
  const [busy, setBusy] = useState(false);
  const done = () => {
    setBusy(true);
    props.onDone(value.trim()).then(props.onClose, (error: unknown) => {
      setBusy(false);
      failed(error);
    });
  };
  return (
    <Dialog title={props.title} onClose={props.onClose} isWritten={value !== props.value}>
      <form
        className="dialog-content"
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        {props.note && <p className="muted">{props.note}</p>}
        <label className="field">
          <span>{props.label}</span>
          <input
            value={value}
            autoFocus
            maxLength={props.most}
            onChange={(event) => setValue(event.target.value)}
            list={props.known && list}
          />
        </label>
        {props.known && (
          <datalist id={list}>
            {props.known.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        )}
        <DialogActions onCancel={props.onClose}>
          <Button look="primary" type="submit" busy={busy} disabled={!props.mayBeEmpty && !value.trim()}>
            {props.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Asks before something is gone. `others` is a second way, such as to delete the branches as well. */
export function AskToDelete(props: {
  title: string;
  text: string;
  action: string;
  others?: { title: string; run(): Promise<unknown> } | null;
  onClose(): void;
  onDone(): Promise<unknown>;
}): ReactNode {
  const [busy, setBusy] = useState(false);
  const start = (run: () => Promise<unknown>) => () => {
    setBusy(true);
    run().then(props.onClose, (error: unknown) => {
      setBusy(false);
      failed(error);
    });
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div className="dialog-content">
        <p className="muted">{props.text}</p>
        <DialogActions onCancel={props.onClose}>
          {props.others && (
            <Button look="danger" busy={busy} onClick={start(props.others.run)}>
              {props.others.title}
            </Button>
          )}
          <Button look="danger" autoFocus busy={busy} onClick={start(props.onDone)}>
            {props.action}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
