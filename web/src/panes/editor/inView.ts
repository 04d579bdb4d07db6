// Keeps the picture and the chosen part visible while its room changes.

import type { ReactFlowInstance } from "@xyflow/react";
import { type RefObject, useEffect, useRef } from "react";
import { reveal, showNode } from "../../flow-canvas/view";
import { useSession, useSessionState } from "./useSession";
import type { Session } from "./session";

const AFTER_LAYOUT = 80; // ms
const DOUBLE_CLICK = 400; // ms in which the picture stays under the pointer

/** The chosen node, or the ends of the chosen edge. */
function chosenIn(session: Session): readonly string[] {
  const { selection, shown } = session.state.get();
  if (selection?.kind === "nodes") return selection.ids.length === 1 ? selection.ids : [];
  const edge = selection?.kind === "edge" ? shown?.edges.get(selection.key) : undefined;
  return edge ? [edge.from, edge.to] : [];
}

/**
 * Fits the picture to its room whenever that changes, until a person moves the picture. `active`, the node where a
 * conversation stands, or else what is chosen, stays in view. `place` is the element around the picture.
 */
export function useInView(
  instance: { current: ReactFlowInstance | null },
  place: RefObject<HTMLElement | null>,
  active: string,
): { current: boolean } {
  const session = useSession();
  const { selection } = useSessionState();
  const moved = useRef(false);
  const stands = useRef(active);
  useEffect(() => void (stands.current = active), [active]);
  /** When the picture was pressed last. */
  const pressed = useRef(-DOUBLE_CLICK);
  useEffect(() => {
    const { current } = place;
    const press = () => void (pressed.current = performance.now());
    current?.addEventListener("pointerdown", press, true);
    return () => current?.removeEventListener("pointerdown", press, true);
  }, [place]);
  useEffect(() => {
    const move = () => instance.current && reveal(instance.current, chosenIn(session));
    const timer = setTimeout(move, AFTER_LAYOUT + untilStill(pressed.current));
    return () => clearTimeout(timer);
  }, [instance, selection, session]);
  useEffect(() => {
    if (!place.current) return;
    let timer = 0;
    const fit = () => {
      if (!instance.current) return;
      const begin = session.state.get().shown?.graphs.get("")?.entry ?? "";
      if (!moved.current) showNode(instance.current, begin, null);
      timer = window.setTimeout(show, AFTER_LAYOUT / 2);
    };
    const show = () =>
      instance.current && reveal(instance.current, stands.current ? [stands.current] : chosenIn(session));
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = window.setTimeout(fit, AFTER_LAYOUT / 2 + untilStill(pressed.current));
    });
    observer.observe(place.current);
    // The toolbar may take a second row.
    const tools = place.current.querySelector("[data-over-canvas]");
    if (tools) observer.observe(tools);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [instance, place, session]);
  return moved;
}

/** How long a picture that was pressed then must not move, in ms. */
const untilStill = (pressed: number): number => Math.max(0, pressed + DOUBLE_CLICK - performance.now());
