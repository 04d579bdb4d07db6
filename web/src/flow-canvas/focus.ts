// The node or the edge of a picture that has the focus.

const PARTS = ".react-flow__node, .react-flow__edge";

export const click = (part: Element): boolean => part.dispatchEvent(new MouseEvent("click", { bubbles: true }));

/** The keys of a button click a node or an edge that has the focus. */
export function clickByKey(event: React.KeyboardEvent): void {
  const part = event.target as Element;
  if (!["Enter", " "].includes(event.key) || !part.matches(PARTS)) return;
  event.preventDefault();
  click(part);
}

export function focusedPart(): Element | null {
  const part = document.activeElement;
  return part?.matches(PARTS) ? part : null;
}

/** Moves the focus to a node, if a node or an edge has it. */
export function moveFocus(node: string): void {
  if (!focusedPart()) return;
  const part = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(node)}"]`);
  part?.focus({ preventScroll: true });
}
