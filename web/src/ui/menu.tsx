// Menus of actions, which a button opens.

import * as Ariakit from "@ariakit/react";
import type { LucideIcon } from "lucide-react";
import { type ReactElement, type ReactNode, useEffect, useState } from "react";
import { Keys } from "./buttons";
import { classes } from "./classes";

/** A menu that `button` opens. Its content is made when it opens. */
export function Menu(props: { button: ReactElement; label: string; children: () => ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <Ariakit.MenuProvider open={open} setOpen={setOpen} placement="bottom-end">
      <Ariakit.MenuButton render={props.button} />
      {open && (
        <Ariakit.Menu className="menu" aria-label={props.label} gutter={4} portal modal={false}>
          {props.children()}
        </Ariakit.Menu>
      )}
    </Ariakit.MenuProvider>
  );
}

/** A menu at a point of the page, such as that of the right mouse button. Its first item has the focus. */
export function MenuAt(props: {
  at: { x: number; y: number };
  label: string;
  onClose(): void;
  children: ReactNode;
}): ReactNode {
  const [before] = useState(() => document.activeElement);
  const close = () => {
    const held = document.activeElement;
    const isLost = held === null || held === document.body || held.closest("[role=menu]") !== null;
    props.onClose();
    if (isLost) (before as HTMLElement | SVGElement | null)?.focus({ preventScroll: true });
  };
  const store = Ariakit.useMenuStore({ open: true, setOpen: (open) => !open && close(), placement: "bottom-start" });
  useEffect(() => {
    store.setInitialFocus("first");
    store.setAutoFocusOnShow(true);
  }, [store]);
  return (
    <Ariakit.MenuProvider store={store}>
      <Ariakit.Menu
        className="menu"
        aria-label={props.label}
        getAnchorRect={() => props.at}
        portal
        modal={false}
        autoFocusOnShow
      >
        {props.children}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

interface ItemProps {
  icon: LucideIcon;
  keys?: string | undefined;
  look?: "danger";
  checked?: boolean;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon: Icon, keys, look, checked, onSelect, children }: ItemProps): ReactNode {
  return (
    <Ariakit.MenuItem
      className={classes("menu-item", look && `menu-${look}`)}
      aria-checked={checked}
      // After the menu has returned the focus, because an action may move it.
      onClick={() => setTimeout(onSelect)}
    >
      <Icon size={15} aria-hidden />
      <span>{children}</span>
      {keys && <Keys keys={keys} />}
    </Ariakit.MenuItem>
  );
}

export const MenuLine = (): ReactNode => <Ariakit.MenuSeparator className="menu-line" />;
