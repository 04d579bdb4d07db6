// The nodes of a flow on the canvas, and what nodes and edges show in addition to the flow.

import { Handle, type NodeProps, Position } from "@xyflow/react";
import {
  CircleAlert,
  CircleStop,
  CornerDownRight,
  GitBranch,
  Info,
  ListChecks,
  MessageCircleQuestion,
  PanelTopClose,
  PanelTopOpen,
  Play,
  TriangleAlert,
  Waypoints,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { type ReactNode, createContext, useContext } from "react";
import { useText } from "../app/language";
import { classes } from "../ui";
import { visible } from "../ui/visible";
import { KINDS, type Kind } from "./flow";
import { edgeTo } from "./elkGraph";
import type { Box } from "./layout";
import type { EscapeName } from "./jumps";
import { conditionOf, summary, titleOf } from "./titles";
import { kindWords, words } from "./words";

export const ICONS: Record<Kind, LucideIcon> = {
  question: MessageCircleQuestion,
  decision: GitBranch,
  action: Play,
  subgraph: Waypoints,
  terminal: CircleStop,
};

export const kindOf = (type: string): Kind | null => KINDS.find((each) => each === type) ?? null;

/** A finding of the compiler that is shown at a node or an edge. */
export interface Finding {
  severity: "error" | "warning" | "info";
  code: string;
  message: string;
}

/** The signs of findings, the same in the picture, the list and the text. */
export const SIGNS: Record<Finding["severity"], LucideIcon> = {
  error: CircleAlert,
  warning: TriangleAlert,
  info: Info,
};

export function Sign({ finding }: { finding: Finding }): ReactNode {
  const Icon = SIGNS[finding.severity];
  return (
    <span className={`flow-mark flow-${finding.severity}`} role="img" aria-label={finding.message}>
      <Icon size={15} strokeWidth={2.4} aria-hidden />
    </span>
  );
}

/** The way of a turn. */
export interface Way {
  /** The ids of its nodes. */
  nodes: ReadonlySet<string>;
  /** The keys of its edges. */
  edges: ReadonlySet<string>;
  /** Steps that no edge of the document makes, such as those after an error. */
  jumps?: readonly { from: string; to: string }[];
  /** The node at the end of the walk. */
  active: string;
  /** The node whose failure ended it. */
  failed?: string;
}

export interface Marks {
  /** The worst finding of each node, by id, and of each edge, by key. */
  findings: ReadonlyMap<string, Finding>;
  /** The nodes and edges that the conversations never reached; null if none were run. */
  never: ReadonlySet<string> | null;
  way: Way | null;
  /** The special states of nodes, by id, and edges, by key. */
  tones: ReadonlyMap<string, Tone>;
  /** A short text at nodes, such as how long they took. */
  notes: ReadonlyMap<string, string>;
}

/** Set by a lower layer; or how it differs from another version. */
export type Tone = "inherited" | "added" | "removed" | "changed" | "moved";

export const NO_MARKS: Marks = { findings: new Map(), never: null, way: null, tones: new Map(), notes: new Map() };

/** The states that nodes and edges of the canvas show in addition to the flow. */
export interface Shown extends Marks {
  entries: ReadonlySet<string>;
  /** The nodes that a conversation may enter from anywhere, each with the reason. */
  escapes: ReadonlyMap<string, EscapeName>;
  /** Nodes and edges can be connected. */
  mayEdit: boolean;
  /** Offers nodes that can be inserted into an edge, at a point of the page. */
  insert?: ((edge: string, at: { x: number; y: number }) => void) | undefined;
  /** Whether a node enters a subgraph that can be shown in place. */
  opens(node: string): boolean;
  toggle(node: string): void;
  /** The title of a node, or of the exit. */
  name(node: string): string;
  /** Moves the picture to a node. */
  goTo(node: string): void;
}

export const ShownContext = createContext<Shown>({
  ...NO_MARKS,
  entries: new Set(),
  escapes: new Map(),
  mayEdit: false,
  opens: () => false,
  toggle: () => undefined,
  name: (node) => node,
  goTo: () => undefined,
});

/** The class of a node or an edge for the way of a turn. */
export const ofWay = (way: Way | null, on: boolean): string | false =>
  way !== null && (on ? "flow-way" : "flow-off-way");

export function FlowNodeView({ id, data, selected }: NodeProps): ReactNode {
  const { box } = data as { box: Box };
  const marks = useContext(ShownContext);
  const say = useText(words);
  const kinds = useText(kindWords);
  const node = box.node;
  if (box.refersTo !== null) return <Reference to={box.refersTo} isOnWay={marks.way?.edges.has(edgeTo(id)) ?? false} />;
  if (!node) {
    return (
      <div className="flow-exit">
        <Handle type="target" position={Position.Top} />
        {say.exit}
      </div>
    );
  }
  const kind = kindOf(node.type);
  const Icon = node.data.read === "confirm" ? ListChecks : kind ? ICONS[kind] : GitBranch;
  const finding = marks.findings.get(id);
  const tone = marks.tones.get(id);
  const isEntry = marks.entries.has(id);
  const escape = marks.escapes.get(id);
  const condition = conditionOf(node);
  return (
    <>
      {(isEntry || escape) && (
        <span className="flow-entry">{[isEntry && say.entry, escape && say[escape]].filter(Boolean).join(", ")}</span>
      )}
      <div
        className={classes(
          isEntry && "flow-is-entry",
          "flow-node",
          tone && `flow-tone-${tone}`,
          `flow-${kind ?? "unknown"}`,
          finding?.severity === "error" && "flow-has-error",
          selected && "flow-chosen",
          box.open !== null && "flow-open",
          marks.never?.has(id) && "flow-never",
          ofWay(marks.way, marks.way?.nodes.has(id) ?? false),
          marks.way?.active === id && "flow-active",
          marks.way?.failed === id && "flow-failed",
        )}
        title={finding ? `${finding.code} ${finding.message}` : undefined}
      >
        <Handle type="target" position={Position.Top} />
        <div className="flow-head">
          <Icon size={15} aria-label={kind ? kinds[kind] : node.type} />
          <strong className="cut">{visible(titleOf(node))}</strong>
          {tone && <span className={`flow-tone tone-${tone}`}>{say[tone]}</span>}
          {finding && <Sign finding={finding} />}
          {marks.notes.has(id) && <span className="flow-note">{marks.notes.get(id)}</span>}
          {marks.opens(id) && (
            <button
              type="button"
              className="flow-toggle nodrag"
              aria-label={box.open === null ? say.open : say.close}
              title={box.open === null ? say.open : say.close}
              onClick={() => marks.toggle(id)}
            >
              {box.open === null ? <PanelTopOpen size={14} aria-hidden /> : <PanelTopClose size={14} aria-hidden />}
            </button>
          )}
        </div>
        <div className="flow-summary">{visible(box.open ?? summary(node))}</div>
        {condition && (
          <div className="flow-condition cut" title={condition}>
            {visible(say.condition(condition))}
          </div>
        )}
        {node.type !== "terminal" && <Handle type="source" position={Position.Bottom} />}
      </div>
    </>
  );
}

/** A node elsewhere to which an edge leads. */
function Reference({ to, isOnWay }: { to: string; isOnWay: boolean }): ReactNode {
  const { name, goTo, way } = useContext(ShownContext);
  const say = useText(words);
  const title = visible(name(to));
  return (
    <>
      <Handle type="target" position={Position.Top} />
      <button
        type="button"
        className={classes("flow-reference nodrag", ofWay(way, isOnWay))}
        aria-label={say.goTo(title)}
        title={say.goTo(title)}
        onClick={() => goTo(to)}
      >
        <CornerDownRight size={13} aria-hidden />
        <span className="cut">{title}</span>
      </button>
    </>
  );
}
