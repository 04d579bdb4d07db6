// Keys of irreversible actions: a key only moves the focus to the button, and Enter presses it.
//
// A user who types a sentence without looking at the focus must not trigger an action. Text after the key was meant as
// a message, and is written into the composer, including the letter that was taken as a key.

import { spoken, texts } from "./language";

const words = texts({ confirm: ["Enter confirms", "Enter bestätigt"] });

const placeToWrite = (): HTMLTextAreaElement | null => document.querySelector(".composer textarea");

function write(text: string): void {
  const place = placeToWrite();
  if (!place) return;
  place.focus();
  place.setRangeText(text, place.selectionStart, place.selectionEnd, "end");
  place.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Moves the focus to a button after its key; Escape cancels that. */
export function aim(button: HTMLElement | null | undefined, typed: string): void {
  if (!button) return;
  button.focus();
  button.dataset.aimed = spoken(words).confirm;
  button.setAttribute("aria-description", spoken(words).confirm);
  let said = typed;
  const left = new AbortController();
  const { signal } = left;
  const leave = () => {
    delete button.dataset.aimed;
    button.removeAttribute("aria-description");
    left.abort();
  };
  button.addEventListener("blur", leave, { signal });
  button.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") button.blur();
      else if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      else if (event.repeat) {
        // A held key says nothing.
      } else if (event.key === typed)
        // The same key again is no text, unless a letter follows: the button says what confirms.
        said += event.key;
      else write(said + event.key);
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
}
