// The nodes and edges of the picture, one component for each.

import {
  BaseEdge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type NodeProps,
  Position,
  getSmoothStepPath,
} from "@xyflow/react";
import {
  CircleStop,
  GitBranch,
  MessageCircleQuestion,
  PanelTopClose,
  PanelTopOpen,
  Play,
  Waypoints,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { type ReactNode, createContext, useContext } from "react";
import { useText } from "../../app/language";
import { readable } from "../../app/readable";
import { classes } from "../../ui";
import { visible } from "../../ui/visible";
import type { Finding } from "./api";
import type { Box, Line } from "./layout";
import { type FlowNode, KINDS, type Kind, type Position as Point } from "./model/flow";
import { kindWords, words } from "./words";

export const ICONS: Record<Kind, LucideIcon> = {
  question: MessageCircleQuestion,
  decision: GitBranch,
  action: Play,
  subgraph: Waypoints,
  terminal: CircleStop,
};

export const kindOf = (type: string): Kind | null => KINDS.find((each) => each === type) ?? null;

export interface Marks {
  /** The worst finding of each node, by id, and of each edge, by key. */
  findings: ReadonlyMap<string, Finding>;
  /** The nodes and edges that the conversations never reached; null if none were run. */
  never: ReadonlySet<string> | null;
  entries: ReadonlySet<string>;
  toggle(node: string): void;
}

export const MarksContext = createContext<Marks>({
  findings: new Map(),
  never: null,
  entries: new Set(),
  toggle: () => undefined,
});

/** A short description of what a node does. */
export function summary(node: FlowNode): string {
  const { data, type } = node;
  const text = { question: data.prompt, action: data.run, subgraph: data.ref, terminal: data.say, decision: data.pick }[
    type
  ];
  return typeof text === "string" ? text : "";
}

export const titleOf = (node: FlowNode): string =>
  typeof node.data.label === "string" && node.data.label ? node.data.label : readable(node.id);

export function FlowNodeView({ id, data, selected }: NodeProps): ReactNode {
  const { box } = data as { box: Box };
  const marks = useContext(MarksContext);
  const say = useText(words);
  const kinds = useText(kindWords);
  const node = box.node;
  if (!node) {
    return (
      <div className="flow-exit">
        <Handle type="target" position={Position.Top} />
        {say.exit}
      </div>
    );
  }
  const kind = kindOf(node.type);
  const Icon = kind ? ICONS[kind] : GitBranch;
  const finding = marks.findings.get(id);
  const closable = node.type === "subgraph";
  return (
    <div
      className={classes(
        "flow-node",
        `flow-${kind ?? "unknown"}`,
        selected && "flow-chosen",
        box.open && "flow-open",
        marks.never?.has(id) && "flow-never",
      )}
      title={finding ? `${finding.code} ${finding.message}` : undefined}
    >
      <Handle type="target" position={Position.Top} />
      <div className="flow-head">
        <Icon size={15} aria-label={kind ? kinds[kind] : node.type} />
        <strong className="cut">{visible(titleOf(node))}</strong>
        {marks.entries.has(id) && <span className="flow-entry">{say.entry}</span>}
        {finding && <span className={`flow-mark flow-${finding.severity}`} aria-label={finding.message} />}
        {closable && (
          <button
            type="button"
            className="flow-toggle nodrag"
            aria-label={box.open ? say.close : say.open}
            title={box.open ? say.close : say.open}
            onClick={() => marks.toggle(id)}
          >
            {box.open ? <PanelTopClose size={14} aria-hidden /> : <PanelTopOpen size={14} aria-hidden />}
          </button>
        )}
      </div>
      {!box.open && <div className="flow-summary">{visible(summary(node))}</div>}
      {node.type !== "terminal" && <Handle type="source" position={Position.Bottom} />}
    </div>
  );
}

const RADIUS = 6;

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
  const { line, label, elseEdge } = props.data as { line: Line; label: string; elseEdge: boolean };
  const marks = useContext(MarksContext);
  const [stepped, x, y] = getSmoothStepPath({ ...props, borderRadius: RADIUS });
  const laid = line.points.length > 1;
  const middle = laid ? middleOf(line.points) : { x, y };
  const finding = marks.findings.get(line.edge);
  return (
    <>
      <BaseEdge
        id={props.id}
        path={laid ? pathOf(line.points) : stepped}
        {...(props.markerEnd ? { markerEnd: props.markerEnd } : {})}
        interactionWidth={18}
        className={classes(
          "flow-edge",
          props.selected && "flow-chosen",
          elseEdge && "flow-else",
          finding && `flow-${finding.severity}`,
          marks.never?.has(line.edge) && "flow-never",
        )}
      />
      {label && (
        <EdgeLabelRenderer>
          <div
            className={classes("flow-label", props.selected && "flow-chosen", finding && `flow-${finding.severity}`)}
            style={{ transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` }}
            title={label}
          >
            {visible(label)}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
