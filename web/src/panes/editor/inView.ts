// Keeps the picture and the chosen part visible while its room changes.

import type { ReactFlowInstance } from "@xyflow/react";
import { type RefObject, useEffect, useRef } from "react";
import { reveal, showNode } from "../../flow-canvas/view";
import { useSession, useSessionState } from "./useSession";
import type { Session } from "./session";

const AFTER_LAYOUT = 80; // ms

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
  useEffect(() => {
    const timer = setTimeout(() => instance.current && reveal(instance.current, chosenIn(session)), AFTER_LAYOUT);
    return () => clearTimeout(timer);
  }, [instance, selection, session]);
  useEffect(() => {
    if (!place.current) return;
    const timers: number[] = [];
    const stop = () => timers.splice(0).forEach(clearTimeout);
    const observer = new ResizeObserver(() => {
      stop();
      const fit = () => {
        const begin = session.state.get().shown?.graphs.get("")?.entry ?? "";
        if (instance.current && !moved.current) showNode(instance.current, begin, null);
      };
      timers.push(
        window.setTimeout(fit, AFTER_LAYOUT / 2),
        window.setTimeout(() => {
          const shown = stands.current ? [stands.current] : chosenIn(session);
          if (instance.current) reveal(instance.current, shown);
        }, AFTER_LAYOUT),
      );
    });
    observer.observe(place.current);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [instance, place, session]);
  return moved;
}
