// The changes of the nodes and edges of a draft, from the toolbar, the keys, the palette and the picture.

import { Archive, ListChecks, type LucideIcon } from "lucide-react";
import { language, useText } from "../../app/language";
import { KINDS, type Kind } from "../../flow-canvas/flow";
import { ICONS } from "../../flow-canvas/nodes";
import { kindAbout, kindWords } from "../../flow-canvas/words";
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
import { confirmed, confirming, keeping } from "./model/answers";
import { newTexts } from "./model/newTexts";
import { spokenIn } from "./model/spoken";
import type { Selection } from "./session";
import { useSession } from "./useSession";
import { words } from "./words";

/** A node of a kind, a question for a yes, or an action that keeps the answers, which can be added. */
export type Added = Kind | "confirmation" | "record";

interface Offer {
  name: Added;
  kind: Kind;
  title: string;
  about: string;
  icon: LucideIcon;
}

export function useOffers(): Offer[] {
  const say = useText(words);
  const kinds = useText(kindWords);
  const about = useText(kindAbout);
  const offers = KINDS.map((kind): Offer => ({
    name: kind,
    kind,
    title: kinds[kind],
    about: about[kind],
    icon: ICONS[kind],
  }));
  offers.splice(3, 0, {
    name: "record",
    kind: "action",
    title: say.recordNode,
    about: say.recordAbout,
    icon: Archive,
  });
  offers.splice(1, 0, {
    name: "confirmation",
    kind: "question",
    title: say.confirmationNode,
    about: say.confirmationAbout,
    icon: ListChecks,
  });
  return offers;
}

/** Nodes that were copied, in this tab. */
let clipboard: Copied | null = null;

export interface Tools {
  /** Adds a node: in the chosen edge, or after the chosen node. With `edits`, its form gets the focus. */
  add(what: Added, edits?: boolean): void;
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
    if (selection?.kind === "edge") return flow?.edges.get(selection.key)?.graph ?? "";
    return flow?.nodes.get(selection?.ids[0] ?? "")?.graph ?? "";
  };
  /** Applies a command that adds nodes, and chooses these. */
  const adding = (command: (text: string) => { text: string; ids: string[] }, edits = false) => {
    let ids: string[] = [];
    session.apply((text) => {
      const made = command(text);
      ids = made.ids;
      return made.text;
    });
    if (edits) session.edit({ kind: "nodes", ids });
    else session.select({ kind: "nodes", ids });
  };
  return {
    add: (what, edits) =>
      attempt(() => {
        const { shown: flow, layers, selection } = session.state.get();
        if (!flow) return;
        const graph = chosenGraph();
        const texts = newTexts(spokenIn(flow), language.get());
        const node =
          what === "confirmation"
            ? confirming(flow, graph, texts)
            : what === "record"
              ? keeping(flow, graph, texts)
              : blank(flow, what, texts);
        const spot = layers ? null : spotOf(selection);
        const id = String(node.id);
        adding((text) => {
          const added = spot ? addNodeAt(text, spot, node, texts) : addNode(text, graph, node, texts);
          return { text: what === "record" && spot ? confirmed(added, id) : added, ids: [id] };
        }, edits);
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
