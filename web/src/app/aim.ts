// Keys of what is done for good: a key takes the focus to the button, and only Enter presses it.
//
// Whoever types a sentence without looking where the focus is must set nothing off by its letters. What follows the key
// was meant as words, and goes where one writes, with the letter that was taken for a key.

const placeToWrite = (): HTMLTextAreaElement | null => document.querySelector(".composer textarea");

function write(text: string): void {
  const place = placeToWrite();
  if (!place) return;
  place.focus();
  place.setRangeText(text, place.selectionStart, place.selectionEnd, "end");
  place.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Takes the focus to a button by a key; Escape gives it up. */
export function aim(button: HTMLElement | null | undefined, typed: string): void {
  if (!button) return;
  button.focus();
  const left = new AbortController();
  const { signal } = left;
  button.addEventListener("blur", () => left.abort(), { signal });
  button.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") button.blur();
      else if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      else if (!event.repeat) write(typed + event.key);
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
}
