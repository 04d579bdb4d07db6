// The tooltip of the page: it shows the name and the key of a button that has only an icon (`data-tip`).

import * as Ariakit from "@ariakit/react";
import { type ReactNode, useEffect, useState } from "react";

const THROUGH = { style: { pointerEvents: "none" } } as const;
const PAUSE = 450; // ms before it is shown

export function Tips(): ReactNode {
  const store = Ariakit.useTooltipStore({ placement: "bottom" });
  const [text, setText] = useState("");
  useEffect(() => {
    // Fingers do not point at anything before they press it.
    if (!matchMedia("(hover: hover)").matches) return;
    let timer = 0;
    let at: Element | null = null;
    const hide = () => {
      clearTimeout(timer);
      at = null;
      store.hide();
    };
    const look = (event: Event) => {
      const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-tip]") : null;
      if (target === at) return;
      hide();
      // A button with an open menu is explained by the menu.
      if (!target || target.getAttribute("aria-expanded") === "true") return;
      if (event.type === "focusin" && !target.matches(":focus-visible")) return;
      at = target;
      timer = window.setTimeout(() => {
        if (!target.isConnected) return;
        setText(target.dataset.tip ?? "");
        store.setAnchorElement(target);
        store.show();
      }, PAUSE);
    };
    const mouse = (event: PointerEvent) => event.pointerType === "mouse" && look(event);
    addEventListener("pointerover", mouse);
    addEventListener("focusin", look);
    for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, hide, { passive: true });
    return () => {
      hide();
      removeEventListener("pointerover", mouse);
      removeEventListener("focusin", look);
      for (const kind of ["pointerdown", "keydown", "wheel"]) removeEventListener(kind, hide);
    };
  }, [store]);
  return (
    // Clicks go through it, also through the element that places it. Every key hides it; Escape still closes a dialog.
    <Ariakit.Tooltip store={store} className="tip" wrapperProps={THROUGH} gutter={6} hideOnEscape={false} portal fixed>
      {text}
    </Ariakit.Tooltip>
  );
}
