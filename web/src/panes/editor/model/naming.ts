// Names of nodes: an id that a person writes, or one that is made of the label of a new node.

import { identifierOf } from "../../../app/identifier";
import type { Flow } from "../../../flow-canvas/flow";
import { freeId, keyFor, renameNode, setField } from "./commands";
import { readFlow } from "./flow";
import { renameAnswer } from "./renameAnswer";

/** Gives a node another id. The key of its answer follows if it is made from the id, and nothing else has the new one. */
export function renamed(text: string, id: string, name: string, active: Flow | null): string {
  const nodes = [...(readFlow(text)?.nodes.values() ?? [])];
  const now = renameNode(text, id, name, active);
  const key = keyFor(name, true);
  const isTaken = nodes.some((each) => each.data.key === key);
  const made = [keyFor(id), keyFor(id, true)];
  const follows = made.includes(String(nodes.find((each) => each.id === id)?.data.key)) && !isTaken;
  return follows ? renameAnswer(now, name, key) : now;
}

/** The ids of new nodes: their kind, and a number. */
const NEW = /^(q|choose|do|sub|end)\.\d+$/;

/** Gives a node a label. A new node, which no published flow has, gets an id that is made of it. */
export function labelled(text: string, id: string, label: string, active: Flow | null): { text: string; id: string } {
  const flow = readFlow(text);
  const node = flow?.nodes.get(id);
  if (!flow || !node) return { text, id };
  const now = setField(text, node.path, "label", label || undefined);
  const kind = NEW.exec(id)?.[1];
  const word = identifierOf(label).toLowerCase();
  if (!kind || !word || active?.nodes.has(id)) return { text: now, id };
  const name = freeId(flow, `${kind}.${word}`);
  return { text: renamed(now, id, name, active), id: name };
}
