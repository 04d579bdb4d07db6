// A message of the user that is being changed, in its place.

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { Button } from "../../ui";
import { words } from "./words";
import { grow, isComposing } from "./writing";

const HIGHEST = 400; // px

interface Props {
  text: string;
  onCancel(): void;
  onSend(text: string): Promise<unknown>;
}

export default function EditMessage({ text, onCancel, onSend }: Props): ReactNode {
  const say = useText(words);
  const note = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [value, setValue] = useState(text);
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(text.length, text.length);
  }, [text]);
  useLayoutEffect(() => {
    if (box.current) grow(box.current, HIGHEST);
  }, [value]);
  useCommands([
    {
      id: "chat.cancelEdit",
      group: say.group,
      title: say.cancel,
      keys: "escape",
      // Escape leaves the next message, which is being written.
      isHeld: () => document.activeElement?.closest(".composer") != null,
      run: onCancel,
    },
  ]);
  const send = () => {
    const message = value.trim();
    if (!message || busy) return;
    setBusy(true);
    onSend(message).catch((error: unknown) => {
      setBusy(false);
      failed(error);
    });
  };
  return (
    <form
      className="message-edit"
      aria-label={say.edit}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={box}
        rows={1}
        value={value}
        aria-label={say.message}
        aria-describedby={note}
        onChange={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="message-edit-foot">
        <p id={note} className="muted">
          {say.editText}
        </p>
        <Button onClick={onCancel}>{say.cancel}</Button>
        <Button look="primary" type="submit" busy={busy} disabled={!value.trim()}>
          {say.send}
        </Button>
      </div>
    </form>
  );
}
