// The small picture of all nodes of a large flow.

import { MiniMap, type Node } from "@xyflow/react";
import type { ReactNode } from "react";
import { useText } from "../app/language";
import type { Box } from "./layout";
import { type Marks, kindOf } from "./nodes";
import { words } from "./words";

const SIZE = { width: 140, height: 96 }; // px

export function Overview({ marks }: { marks: Marks }): ReactNode {
  const say = useText(words);
  return (
    <MiniMap
      style={SIZE}
      pannable
      zoomable
      ariaLabel={say.overview}
      nodeClassName={(node) => classOf(node, marks)}
      nodeBorderRadius={8}
      maskStrokeColor="var(--accent-strong)"
      maskStrokeWidth={1.5}
    />
  );
}

/** The class of a node: its kind, or its part in the way of a turn. */
function classOf({ id, data }: Node, { way }: Marks): string {
  if (way) return id === way.active ? "mini-active" : way.nodes.has(id) ? "mini-way" : "";
  const { node, open } = (data as { box: Box }).box;
  return open !== null ? "mini-open" : node ? `flow-${kindOf(node.type) ?? "unknown"}` : "mini-exit";
}
