// The menu of the right mouse button on a node or an edge of the picture.

import { Copy, CopyPlus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { KINDS } from "../../flow-canvas/flow";
import { ICONS } from "../../flow-canvas/nodes";
import { kindWords } from "../../flow-canvas/words";
import { MenuAt, MenuItem, MenuLine } from "../../ui";
import { useTools } from "./tools";
import { useSessionState } from "./useSession";
import { words } from "./words";

interface Props {
  at: { x: number; y: number };
  onClose(): void;
}

/** It is about what is chosen. */
export function CanvasMenu({ at, onClose }: Props): ReactNode {
  const { selection } = useSessionState();
  const say = useText(words);
  const kinds = useText(kindWords);
  const tools = useTools();
  if (!selection) return null;
  return (
    <MenuAt at={at} label={say.actions} onClose={onClose}>
      {KINDS.map((kind) => (
        <MenuItem key={kind} icon={ICONS[kind]} onSelect={() => tools.add(kind)}>
          {selection.kind === "edge" ? say.addHere(kinds[kind]) : say.addAfter(kinds[kind])}
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
