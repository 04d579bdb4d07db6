// The menu of the right mouse button on a node or an edge of the picture.

import { Copy, CopyPlus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { MenuAt, MenuItem, MenuLine } from "../../ui";
import { useOffers, useTools } from "./tools";
import { useSessionState } from "./useSession";
import { words } from "./words";

interface Props {
  at: { x: number; y: number };
  /** A key opened it. */
  byKeys: boolean;
  onClose(): void;
}

/** It is about what is chosen. */
export function CanvasMenu({ at, byKeys, onClose }: Props): ReactNode {
  const { selection } = useSessionState();
  const say = useText(words);
  const offers = useOffers();
  const tools = useTools();
  if (!selection) return null;
  return (
    <MenuAt at={at} label={say.actions} onClose={onClose}>
      {offers
        .filter(({ kind }) => selection.kind === "nodes" || kind !== "terminal")
        .map(({ name, title, icon }) => (
          <MenuItem key={name} icon={icon} onSelect={() => tools.add(name, byKeys)}>
            {selection.kind === "edge" ? say.addHere(title) : say.addAfter(title)}
          </MenuItem>
        ))}
      <MenuLine />
      {selection.kind === "nodes" && (
        <>
          <MenuItem icon={CopyPlus} keys="mod+d" onSelect={tools.duplicate}>
            {say.duplicate}
          </MenuItem>
          <MenuItem icon={Copy} keys="mod+c" onSelect={tools.copy}>
            {say.copy}
          </MenuItem>
        </>
      )}
      <MenuItem icon={Trash2} keys="delete" look="danger" onSelect={tools.remove}>
        {say.remove}
      </MenuItem>
    </MenuAt>
  );
}
