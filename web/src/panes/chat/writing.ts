// Shared by the fields for messages.

/** Enter that ends the composition of a word; Safari reports it only by this key code. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Makes a field as high as its text, up to `most` pixels. */
export function grow(area: HTMLTextAreaElement, most: number): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, most)}px`;
}
