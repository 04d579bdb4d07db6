// A node and an edge of the graph in the picture.

import { BaseEdge, type EdgeProps, Handle, type NodeProps, Position } from "@xyflow/react";
import { type ReactNode, createContext, memo, useContext } from "react";
import { classes } from "../../ui";
import { visible } from "../../ui/visible";
import type { GraphNode } from "./api";
import { captionOf, nodeId } from "./layout";

export interface Chosen {
  id: string;
  colours: ReadonlyMap<string, number>;
  choose(node: GraphNode): void;
}

export const ChosenContext = createContext<Chosen>({ id: "", colours: new Map(), choose: () => undefined });

export const NodeView = memo(function NodeView({ data }: NodeProps): ReactNode {
  const { node, size, isLarge } = data as { node: GraphNode; size: number; isLarge: boolean };
  const { id, colours, choose } = useContext(ChosenContext);
  const isChosen = id === nodeId(node);
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <button
        type="button"
        className={`graph-dot graph-colour-${colours.get(node.label) ?? 1}`}
        style={{ width: size, height: size }}
        aria-label={visible(`${node.label} ${node.key}`)}
        aria-pressed={isChosen}
        title={visible(`${node.label} ${node.key}`)}
        onClick={() => choose(node)}
      />
      <span
        className={classes("graph-key", isLarge && "graph-key-large", isChosen && "graph-key-chosen")}
        style={{ top: size + 3 }}
        aria-hidden
      >
        <bdi>{visible(captionOf(node))}</bdi>
      </span>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
});

const [NAME_HEIGHT, LETTER, WIDEST] = [22, 6.6, 120]; // px

/** How far from the middle of a node a line that comes from (-dx, -dy) leaves the name below it; 0 if it misses it. */
function throughName(dx: number, dy: number, size: number, name: string): number {
  const [top, bottom] = [size / 2 + 3, size / 2 + NAME_HEIGHT];
  const half = Math.min(WIDEST, name.length * LETTER + 8) / 2;
  if (dy >= 0 || Math.abs(dx / dy) * top > half) return 0;
  return Math.min(bottom / -dy, half / Math.abs(dx || 1e-9)) + 2;
}

/** A straight edge from rim to rim with its type along it, upright. Parallel edges are bent apart. */
export const EdgeView = memo(function EdgeView(props: EdgeProps): ReactNode {
  const { sourceX, sourceY, targetX, targetY, source, target } = props;
  const { type, bend, from, to, name } = props.data as {
    type: string;
    bend: number;
    from: number;
    to: number;
    name: string;
  };
  const { id } = useContext(ChosenContext);
  const isNear = id === source || id === target;
  const length = Math.hypot(targetX - sourceX, targetY - sourceY) || 1;
  const [dx, dy] = [(targetX - sourceX) / length, (targetY - sourceY) / length];
  // The edge ends at the rims of its nodes, or at the name below one, which would cover the tip.
  const [rim, end] = [from / 2 + 2, Math.max(to / 2 + 6, throughName(dx, dy, to, name))];
  const [x1, y1] = [sourceX + dx * rim, sourceY + dy * rim];
  const [x2, y2] = [targetX - dx * end, targetY - dy * end];
  const [mx, my] = [(x1 + x2) / 2 - dy * bend, (y1 + y2) / 2 + dx * bend];
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  const upright = angle > 90 || angle < -90 ? angle + 180 : angle;
  const path =
    source === target
      ? `M ${sourceX - 8} ${sourceY - rim} c -22 -46 38 -46 16 0`
      : `M ${x1} ${y1} Q ${mx - dy * bend} ${my + dx * bend} ${x2} ${y2}`;
  const [tx, ty] = source === target ? [sourceX, sourceY - rim - 40] : [mx, my];
  return (
    <>
      <BaseEdge
        path={path}
        interactionWidth={0}
        className={classes("graph-line", isNear && "graph-line-near")}
        {...(props.markerEnd ? { markerEnd: props.markerEnd } : {})}
      />
      {type && (
        <text
          className={classes("graph-type", isNear && "graph-type-near")}
          transform={`translate(${tx} ${ty}) rotate(${source === target ? 0 : upright})`}
          dy={-3}
        >
          {type.length > 22 ? `${type.slice(0, 21)}…` : type}
        </text>
      )}
    </>
  );
});
