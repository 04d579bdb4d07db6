// Dialogs over the page.

import { Dialog as Popup, DialogHeading } from "@ariakit/react";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { texts, useText } from "../app/language";
import { Button, IconButton } from "./buttons";
import { classes } from "./classes";

const words = texts({ close: ["Close", "Schließen"], cancel: ["Cancel", "Abbrechen"] });

/** The element that gets the focus after the last dialog, which may have opened another one. */
let owed: HTMLElement | null = null;

/** Returns the focus to its previous element after a dialog, unless something else has taken it. */
function useFocusAfter(): void {
  const [before] = useState(() => {
    const now = document.activeElement;
    return now instanceof HTMLElement && now !== document.body ? now : owed;
  });
  useEffect(
    () => () => {
      owed = before;
      setTimeout(() => document.activeElement === document.body && before?.focus());
    },
    [before],
  );
}

interface DialogProps {
  title: string;
  /** Without it the dialog stays until its content closes it. */
  onClose?: () => void;
  children: ReactNode;
  className?: string;
  /** Without its bar with title and cross; the title is still read out. */
  bare?: boolean;
  /** Something was written into it: a click outside, which may be a slip, does not discard it. */
  isWritten?: boolean;
}

/** A dialog over the page: Escape and a click outside close it, and the focus returns to its previous element. */
export function Dialog({ title, onClose, children, className, bare, isWritten }: DialogProps): ReactNode {
  const say = useText(words);
  const popup = useRef<HTMLDivElement>(null);
  useFocusAfter();
  return (
    <Popup
      ref={popup}
      open
      onClose={() => onClose?.()}
      hideOnEscape={Boolean(onClose)}
      hideOnInteractOutside={Boolean(onClose) && !isWritten}
      backdrop={<div className={classes("dialog-veil", className && `${className}-veil`)} />}
      className={classes("dialog", className)}
      // Not the cross, which comes first: its tip would open over the dialog.
      initialFocus={!bare && onClose ? popup : undefined}
      // An element of the content may have taken it.
      autoFocusOnShow={() => !document.activeElement?.closest(".dialog")}
      autoFocusOnHide={false}
      unmountOnHide
    >
      <div className="dialog-body">
        <header className={bare ? "visually-hidden" : "dialog-head"}>
          <DialogHeading render={(given) => <h2 {...given}>{title}</h2>} />
          {!bare && onClose && <IconButton icon={X} label={say.close} onClick={onClose} />}
        </header>
        {children}
      </div>
    </Popup>
  );
}

/** The actions of a dialog: Cancel is at the left, the main one at the right. */
export function DialogActions({ onCancel, children }: { onCancel(): void; children: ReactNode }): ReactNode {
  const say = useText(words);
  return (
    <div className="dialog-actions">
      <Button onClick={onCancel}>{say.cancel}</Button>
      {children}
    </div>
  );
}
