// The commands of the editor: its toolbar, its keys, and their entries in the palette.

import { redo, undo } from "@codemirror/commands";
import {
  ClipboardPaste,
  Copy,
  CopyPlus,
  FilePen,
  LayoutGrid,
  Maximize,
  Plus,
  Redo2,
  Trash2,
  Undo2,
} from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { go, hashOf } from "../../app/router";
import { Button, IconButton, Menu, MenuItem } from "../../ui";
import { tidy } from "./model/commands";
import type { Session } from "./session";
import { useOffers, useTools } from "./tools";
import { Transfer } from "./Transfer";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

interface ToolbarProps {
  /** The kinds of nodes are in a menu, and what has keys is in the palette alone. */
  narrow: boolean;
}

export function Toolbar({ narrow }: ToolbarProps): ReactNode {
  const session = useSession();
  const { selection, current } = useSessionState();
  const say = useText(words);
  const offers = useOffers();
  const tools = useTools();
  const off = !session.mayEdit || !current;
  return (
    <div className="editor-tools" role="toolbar" aria-label={say.group} data-over-canvas>
      <div className="editor-tool-group">
        {narrow ? (
          <Menu
            label={say.addNode}
            button={
              <Button icon={Plus} look="quiet" disabled={off} aria-label={say.addNode}>
                {say.addGroup}
              </Button>
            }
          >
            {() =>
              offers.map(({ name, icon, title }) => (
                <MenuItem key={name} icon={icon} onSelect={() => tools.add(name)}>
                  {title}
                </MenuItem>
              ))
            }
          </Menu>
        ) : (
          <>
            <span className="editor-add" aria-hidden>
              {say.addGroup}
            </span>
            {offers.map(({ name, kind, title, about, icon: Icon }) => (
              <button
                key={name}
                type="button"
                className={`editor-kind flow-${kind}`}
                aria-label={say.add(title)}
                data-tip={about}
                onClick={() => tools.add(name)}
                disabled={off}
              >
                <Icon size={16} aria-hidden /> <span>{title}</span>
              </button>
            ))}
          </>
        )}
      </div>
      <div className="editor-tool-group">
        <IconButton
          icon={Undo2}
          label={say.undo}
          keys="mod+z"
          onClick={() => undo(session.view)}
          disabled={!session.mayEdit}
        />
        <IconButton
          icon={Redo2}
          label={say.redo}
          keys="shift+mod+z"
          onClick={() => redo(session.view)}
          disabled={!session.mayEdit}
        />
        {!narrow && (
          <>
            <span className="editor-gap" />
            <IconButton
              icon={Copy}
              label={say.copy}
              keys="mod+c"
              onClick={tools.copy}
              disabled={selection?.kind !== "nodes"}
            />
            <IconButton icon={ClipboardPaste} label={say.paste} keys="mod+v" onClick={tools.paste} disabled={off} />
          </>
        )}
        <IconButton
          icon={Trash2}
          label={say.remove}
          keys="delete"
          onClick={tools.remove}
          disabled={off || selection === null}
        />
        <span className="editor-gap" />
        <IconButton icon={LayoutGrid} label={say.tidy} onClick={() => session.apply(tidy)} disabled={off} />
        <Transfer />
      </div>
    </div>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /INPUT|TEXTAREA|SELECT/.test(target.tagName));

/** The commands and keys of the pane. */
export function useEditing(fit: () => void): void {
  const session = useSession();
  const say = useText(words);
  const offers = useOffers();
  const tools = useTools();
  const latest = useRef(tools);
  useEffect(() => {
    latest.current = tools;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.defaultPrevented) return;
      const mod = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      if (event.key === "Delete" || event.key === "Backspace") latest.current.remove();
      else if (mod && key === "c") latest.current.copy();
      else if (mod && key === "v") latest.current.paste();
      else if (mod && key === "d") latest.current.duplicate();
      else if (mod && key === "z") (event.shiftKey ? redo : undo)(session.view);
      else if (mod && key === "y") redo(session.view);
      else if (event.key.startsWith("Arrow")) walk(session, event.key);
      else if (event.key === "Escape") session.select(null);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [session]);
  const isHeld = () => isTyping(document.activeElement);
  useCommands([
    ...offers.map(({ name, title }) => ({
      id: `editor.add.${name}`,
      group: say.group,
      title: say.add(title),
      icon: Plus,
      run: () => tools.add(name, true),
    })),
    {
      id: "editor.undo",
      keys: "mod+z",
      isHeld,
      group: say.group,
      title: say.undo,
      icon: Undo2,
      run: () => undo(session.view),
    },
    {
      id: "editor.redo",
      keys: "shift+mod+z",
      isHeld,
      group: say.group,
      title: say.redo,
      icon: Redo2,
      run: () => redo(session.view),
    },
    { id: "editor.copy", keys: "mod+c", isHeld, group: say.group, title: say.copy, icon: Copy, run: tools.copy },
    {
      id: "editor.paste",
      keys: "mod+v",
      isHeld,
      group: say.group,
      title: say.paste,
      icon: ClipboardPaste,
      run: tools.paste,
    },
    {
      id: "editor.duplicate",
      keys: "mod+d",
      isHeld,
      group: say.group,
      title: say.duplicate,
      icon: CopyPlus,
      run: tools.duplicate,
    },
    {
      id: "editor.remove",
      keys: "delete",
      isHeld,
      group: say.group,
      title: say.remove,
      icon: Trash2,
      run: tools.remove,
    },
    { id: "editor.tidy", group: say.group, title: say.tidy, icon: LayoutGrid, run: () => session.apply(tidy) },
    { id: "editor.fit", group: say.group, title: say.fit, icon: Maximize, run: fit },
    {
      id: "editor.flows",
      group: say.group,
      title: say.flows,
      icon: FilePen,
      run: () => go(hashOf("editor")),
    },
  ]);
}

/** Moves the choice along edges: down to the first target, up to a source, left and right among the edges of one node. */
function walk(session: Session, key: string): void {
  const { shown: flow, selection } = session.state.get();
  if (!flow) return;
  const first = [...flow.nodes.values()][0];
  if (selection?.kind !== "nodes") {
    if (first) session.select({ kind: "nodes", ids: [first.id] });
    return;
  }
  const [id = ""] = selection.ids;
  const edges = [...flow.edges.values()];
  const [out, into] = [edges.filter((each) => each.from === id), edges.filter((each) => each.to === id)];
  const go = (node: string | undefined) =>
    node && flow.nodes.has(node) && session.select({ kind: "nodes", ids: [node] });
  if (key === "ArrowDown") go(out[0]?.to);
  else if (key === "ArrowUp") go(into[0]?.from);
  else {
    const parent = into[0]?.from;
    const around = edges.filter((each) => each.from === parent).map((each) => each.to);
    go(around[around.indexOf(id) + (key === "ArrowRight" ? 1 : -1)]);
  }
}
