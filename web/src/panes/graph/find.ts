// The nodes of the graph that the palette finds.

import { hashOf } from "../../app/router";
import { visible } from "../../ui/visible";
import type { Found } from "../found";
import { graphApi } from "./api";

export async function find(words: string, most: number): Promise<Found[]> {
  const { nodes, similar } = await graphApi.graph({ q: words, limit: most });
  // Nodes that are only similar are left out: things of other panes fit better.
  if (similar) return [];
  return nodes.map(({ label, key }) => ({
    id: `${label}/${key}`,
    title: visible(key),
    note: label,
    hash: hashOf("graph", ["node", label, key]),
  }));
}
