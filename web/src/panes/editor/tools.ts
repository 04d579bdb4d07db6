// What a person does to the nodes and edges of a draft, from the toolbar, the keys, the palette and the picture.

import type { Kind } from "../../flow-canvas/flow";
import { failed } from "../../app/toasts";
import {
  type Copied,
  type Spot,
  addNode,
  addNodeAt,
  blank,
  copy,
  duplicate,
  paste,
  removeEdges,
  removeNodes,
} from "./model/commands";
import { inherited, removeLayered, removeLayeredEdges } from "./model/layers";
import type { Selection } from "./session";
import { useSession } from "./useSession";

/** Nodes that were copied, in this tab. */
let clipboard: Copied | null = null;

export interface Tools {
  /** Adds a node: in the chosen edge, or after the chosen node. */
  add(kind: Kind): void;
  remove(): void;
  copy(): void;
  paste(): void;
  duplicate(): void;
}

/** Where a new node is connected, if one node or edge is chosen. */
const spotOf = (selection: Selection): Spot | null => {
  if (selection?.kind === "edge") return { in: selection.key };
  const [id, ...others] = selection?.ids ?? [];
  return id !== undefined && others.length === 0 ? { after: id } : null;
};

export function useTools(): Tools {
  const session = useSession();
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  };
  const chosenGraph = () => {
    const { selection, shown: flow } = session.state.get();
    return selection?.kind === "nodes" ? (flow?.nodes.get(selection.ids[0] ?? "")?.graph ?? "") : "";
  };
  /** Applies a command that adds nodes, and chooses these. */
  const adding = (command: (text: string) => { text: string; ids: string[] }) => {
    let ids: string[] = [];
    session.apply((text) => {
      const made = command(text);
      ids = made.ids;
      return made.text;
    });
    session.select({ kind: "nodes", ids });
  };
  return {
    add: (kind) =>
      attempt(() => {
        const { shown: flow, layers, selection } = session.state.get();
        if (!flow) return;
        const graph = chosenGraph();
        const node = blank(flow, kind);
        const spot = layers ? null : spotOf(selection);
        adding((text) => ({
          text: spot ? addNodeAt(text, spot, node) : addNode(text, graph, node),
          ids: [String(node.id)],
        }));
      }),
    remove: () =>
      attempt(() => {
        const { selection, flow, shown, layers } = session.state.get();
        const below = layers && flow && shown ? inherited(shown, flow, layers.origins).below : null;
        session.apply((text) => {
          if (selection?.kind === "nodes")
            return below && shown ? removeLayered(text, shown, selection.ids, below) : removeNodes(text, selection.ids);
          if (selection?.kind !== "edge") return text;
          return below && shown
            ? removeLayeredEdges(text, shown, [selection.key], below)
            : removeEdges(text, [selection.key]);
        });
        session.select(null);
      }),
    copy: () => {
      const { selection, shown: flow } = session.state.get();
      if (flow && selection?.kind === "nodes") clipboard = copy(flow, selection.ids);
    },
    paste: () =>
      attempt(() => {
        const held = clipboard;
        if (!held || held.nodes.length === 0) return;
        const graph = chosenGraph();
        adding((text) => paste(text, graph, held, { x: 32, y: 32 }));
      }),
    duplicate: () =>
      attempt(() => {
        const { selection, shown: flow, layers } = session.state.get();
        if (!flow || selection?.kind !== "nodes") return;
        const [id, ...others] = selection.ids;
        const graph = chosenGraph();
        if (id !== undefined && others.length === 0 && !layers) adding((text) => duplicate(text, id));
        else adding((text) => paste(text, graph, copy(flow, selection.ids), { x: 32, y: 32 }));
      }),
  };
}
