// Whether the page is of a certain size or kind, such as narrow.

import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query holds; the component is drawn again when that changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
