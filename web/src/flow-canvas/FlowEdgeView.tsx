// An edge of a flow on the canvas, with its label.

import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { Plus } from "lucide-react";
import { type ReactNode, useContext, useRef, useState } from "react";
import { useText } from "../app/language";
import { classes } from "../ui";
import { visible } from "../ui/visible";
import type { Position as Point } from "./flow";
import { labelSize } from "./labels";
import type { Line } from "./layout";
import { ShownContext, Sign, ofWay } from "./nodes";
import { words } from "./words";

const RADIUS = 6;
const BELOW = 11; // px from a label to the button below it
const BESIDE = 20; // px from the middle of an edge without a label to its sign, beside the button
const LEAVING = 250; // ms

/** The path along corners, rounded. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const parts = [`M ${first.x} ${first.y}`];
  for (const [index, corner] of rest.entries()) {
    const next = rest[index + 1];
    const last = points[index];
    if (!next || !last) {
      parts.push(`L ${corner.x} ${corner.y}`);
      continue;
    }
    const toward = (from: Point, to: Point) => {
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const by = Math.min(RADIUS, length / 2) / length;
      return { x: from.x + (to.x - from.x) * by, y: from.y + (to.y - from.y) * by };
    };
    const [before, after] = [toward(corner, last), toward(corner, next)];
    parts.push(`L ${before.x} ${before.y} Q ${corner.x} ${corner.y} ${after.x} ${after.y}`);
  }
  return parts.join(" ");
}

/** The middle of the longest piece of a way, where its label has most room. */
function middleOf(points: readonly Point[]): Point {
  let best = { x: points[0]?.x ?? 0, y: points[0]?.y ?? 0, length: -1 };
  for (const [index, to] of points.slice(1).entries()) {
    const from = points[index];
    if (!from) continue;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length > best.length) best = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, length };
  }
  return best;
}

export function FlowEdgeView(props: EdgeProps): ReactNode {
  const { line } = props.data as { line: Line };
  const { label } = line;
  const marks = useContext(ShownContext);
  const [stepped, x, y] = getSmoothStepPath({ ...props, borderRadius: RADIUS });
  const laid = line.points.length > 1;
  const middle = line.labelAt ?? (laid ? middleOf(line.points) : { x, y });
  const ofTurn = ofWay(marks.way, line.edge === "" || (marks.way?.edges.has(line.edge) ?? false));
  const finding = marks.findings.get(line.edge);
  const tone = marks.tones.get(line.edge);
  const size = labelSize(label) ?? { width: 0, height: 0 };
  const { isNear, ...near } = useNear();
  const mayInsert = marks.insert !== undefined && line.edge !== "" && line.look !== "jump";
  return (
    <g {...near}>
      <BaseEdge
        id={props.id}
        path={laid ? pathOf(line.points) : stepped}
        {...(props.markerEnd ? { markerEnd: props.markerEnd } : {})}
        interactionWidth={18}
        className={classes(
          "flow-edge",
          tone && `flow-tone-${tone}`,
          props.selected && "flow-chosen",
          line.look !== "plain" && `flow-${line.look}`,
          finding && `flow-${finding.severity}`,
          marks.never?.has(line.edge) && "flow-never",
          ofTurn,
        )}
      />
      {label && (
        <EdgeLabelRenderer>
          <div
            className={classes(
              "flow-label",
              tone && `flow-tone-${tone}`,
              line.look === "jump" && "flow-jump",
              props.selected && "flow-chosen",
              finding && `flow-${finding.severity}`,
              ofTurn,
            )}
            style={{
              ...size,
              transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)`,
            }}
            title={label}
          >
            {visible(label)}
          </div>
        </EdgeLabelRenderer>
      )}
      {mayInsert && (isNear || props.selected) && (
        <EdgeLabelRenderer>
          <InsertButton edge={line.edge} x={middle.x} y={middle.y + (label ? size.height / 2 + BELOW : 0)} />
        </EdgeLabelRenderer>
      )}
      {finding && finding.severity !== "info" && (
        <EdgeLabelRenderer>
          <div
            className="flow-label-mark"
            style={{
              transform: `translate(-50%, -50%) translate(${middle.x + (size.width / 2 || BESIDE)}px, ${middle.y - size.height / 2}px)`,
            }}
          >
            <Sign finding={finding} />
          </div>
        </EdgeLabelRenderer>
      )}
    </g>
  );
}

/** Whether the pointer is at an edge; it stays so for a moment, in which the pointer reaches the button. */
function useNear(): { isNear: boolean; onMouseEnter(): void; onMouseLeave(): void } {
  const [isNear, setNear] = useState(false);
  const timer = useRef(0);
  return {
    isNear,
    onMouseEnter: () => {
      clearTimeout(timer.current);
      setNear(true);
    },
    onMouseLeave: () => {
      timer.current = window.setTimeout(setNear, LEAVING, false);
    },
  };
}

function InsertButton({ edge, x, y }: { edge: string; x: number; y: number }): ReactNode {
  const { insert } = useContext(ShownContext);
  const say = useText(words);
  return (
    <button
      type="button"
      className="flow-insert nodrag nopan"
      style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
      aria-label={say.insert}
      title={say.insert}
      onClick={(event) => {
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        insert?.(edge, { x: left, y: bottom });
      }}
    >
      <Plus size={13} aria-hidden />
    </button>
  );
}
