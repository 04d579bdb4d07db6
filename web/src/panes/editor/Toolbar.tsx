// The commands of the editor: its toolbar, its keys, and their entries in the palette.

import { redo, undo } from "@codemirror/commands";
import type { ReactFlowInstance } from "@xyflow/react";
import { ClipboardPaste, Copy, FilePen, LayoutGrid, Maximize, Plus, Redo2, Trash2, Undo2 } from "lucide-react";
import { type ReactNode, useEffect, useMemo } from "react";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { hashOf } from "../../app/router";
import { failed } from "../../app/toasts";
import { IconButton } from "../../ui";
import { type Copied, addNode, blank, copy, paste, removeEdges, removeNodes, tidy } from "./model/commands";
import { KINDS, type Kind } from "./model/flow";
import { ICONS } from "./nodes";
import type { Session } from "./session";
import { useSession, useSessionState } from "./useSession";
import { kindWords, words } from "./words";

/** Nodes that were copied, in this tab. */
let clipboard: Copied | null = null;

interface Tools {
  add(kind: Kind): void;
  remove(): void;
  copy(): void;
  paste(): void;
}

/** The actions of the toolbar, the palette and the keys on the draft. */
function useTools(instance: { current: ReactFlowInstance | null }): Tools {
  const session = useSession();
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  };
  const chosenGraph = () => {
    const { selection, flow } = session.state.get();
    return selection?.kind === "nodes" ? (flow?.nodes.get(selection.ids[0] ?? "")?.graph ?? "") : "";
  };
  return {
    add: (kind) =>
      attempt(() => {
        const { flow } = session.state.get();
        if (!flow) return;
        const graph = chosenGraph();
        const node = blank(flow, kind);
        const canvas = document.querySelector(".flow-canvas")?.getBoundingClientRect();
        const centre = canvas && { x: canvas.left + canvas.width / 2, y: canvas.top + canvas.height / 2 };
        const at = graph === "" && centre ? instance.current?.screenToFlowPosition(centre) : undefined;
        session.apply((text) => addNode(text, graph, node, at));
        session.select({ kind: "nodes", ids: [String(node.id)] });
      }),
    remove: () =>
      attempt(() => {
        const { selection } = session.state.get();
        if (selection?.kind === "nodes") session.apply((text) => removeNodes(text, selection.ids));
        if (selection?.kind === "edge") session.apply((text) => removeEdges(text, [selection.key]));
        session.select(null);
      }),
    copy: () => {
      const { selection, flow } = session.state.get();
      if (flow && selection?.kind === "nodes") clipboard = copy(flow, selection.ids);
    },
    paste: () =>
      attempt(() => {
        const copied = clipboard;
        if (!copied || copied.nodes.length === 0) return;
        const graph = chosenGraph();
        let ids: string[] = [];
        session.apply((text) => {
          const made = paste(text, graph, copied, { x: 32, y: 32 });
          ids = made.ids;
          return made.text;
        });
        session.select({ kind: "nodes", ids });
      }),
  };
}

export function Toolbar({
  fit,
  instance,
}: {
  fit: () => void;
  instance: { current: ReactFlowInstance | null };
}): ReactNode {
  const session = useSession();
  const { selection, current } = useSessionState();
  const say = useText(words);
  const kinds = useText(kindWords);
  const tools = useTools(instance);
  const off = !session.mayEdit || !current;
  return (
    <div className="editor-tools" role="toolbar" aria-label={say.group}>
      {KINDS.map((kind) => (
        <IconButton
          key={kind}
          icon={ICONS[kind]}
          label={say.add(kinds[kind])}
          onClick={() => tools.add(kind)}
          disabled={off}
        />
      ))}
      <span className="editor-gap" />
      <IconButton icon={Undo2} label={say.undo} onClick={() => undo(session.view)} disabled={!session.mayEdit} />
      <IconButton icon={Redo2} label={say.redo} onClick={() => redo(session.view)} disabled={!session.mayEdit} />
      <IconButton icon={Copy} label={say.copy} onClick={tools.copy} disabled={selection?.kind !== "nodes"} />
      <IconButton icon={ClipboardPaste} label={say.paste} onClick={tools.paste} disabled={off} />
      <IconButton icon={Trash2} label={say.remove} onClick={tools.remove} disabled={off || selection === null} />
      <span className="editor-gap" />
      <IconButton icon={LayoutGrid} label={say.tidy} onClick={() => session.apply(tidy)} disabled={off} />
      <IconButton icon={Maximize} label={say.fit} onClick={fit} />
    </div>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /INPUT|TEXTAREA|SELECT/.test(target.tagName));

/** The commands and keys of the pane. */
export function useEditing(instance: { current: ReactFlowInstance | null }, fit: () => void): void {
  const session = useSession();
  const say = useText(words);
  const kinds = useText(kindWords);
  const tools = useTools(instance);
  const keys = useMemo(() => ({ latest: tools }), []);
  keys.latest = tools;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.defaultPrevented) return;
      const mod = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      if (event.key === "Delete" || event.key === "Backspace") keys.latest.remove();
      else if (mod && key === "c") keys.latest.copy();
      else if (mod && key === "v") keys.latest.paste();
      else if (mod && key === "z") (event.shiftKey ? redo : undo)(session.view);
      else if (mod && key === "y") redo(session.view);
      else if (event.key.startsWith("Arrow")) walk(session, event.key);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [session, keys]);
  useCommands([
    ...KINDS.map((kind) => ({
      id: `editor.add.${kind}`,
      group: say.group,
      title: say.add(kinds[kind]),
      icon: Plus,
      run: () => tools.add(kind),
    })),
    { id: "editor.undo", group: say.group, title: say.undo, icon: Undo2, run: () => undo(session.view) },
    { id: "editor.redo", group: say.group, title: say.redo, icon: Redo2, run: () => redo(session.view) },
    { id: "editor.copy", group: say.group, title: say.copy, icon: Copy, run: tools.copy },
    { id: "editor.paste", group: say.group, title: say.paste, icon: ClipboardPaste, run: tools.paste },
    { id: "editor.remove", group: say.group, title: say.remove, icon: Trash2, run: tools.remove },
    { id: "editor.tidy", group: say.group, title: say.tidy, icon: LayoutGrid, run: () => session.apply(tidy) },
    { id: "editor.fit", group: say.group, title: say.fit, icon: Maximize, run: fit },
    {
      id: "editor.flows",
      group: say.group,
      title: say.flows,
      icon: FilePen,
      run: () => (location.hash = hashOf("editor")),
    },
  ]);
}

/** Moves the choice along edges: down to the first target, up to a source, left and right among the edges of one node. */
function walk(session: Session, key: string): void {
  const { flow, selection } = session.state.get();
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
