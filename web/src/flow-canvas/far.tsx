// A picture from afar has large titles.

import { useStore as useFlowStore } from "@xyflow/react";
import { type ReactNode, type RefObject, useEffect } from "react";

const FAR = 0.6; // the zoom below which nodes show their titles alone, at a constant size

/** Tells the style sheet the zoom of a picture that is too small for the texts of its nodes. */
export function Far({ area }: { area: RefObject<HTMLDivElement | null> }): ReactNode {
  const zoom = useFlowStore(({ transform }) => (transform[2] < FAR ? Math.round(transform[2] * 50) / 50 : 1));
  useEffect(() => {
    if (!area.current) return;
    area.current.toggleAttribute("data-far", zoom < 1);
    area.current.style.setProperty("--zoom", String(Math.max(zoom, 0.05)));
  }, [area, zoom]);
  return null;
}
