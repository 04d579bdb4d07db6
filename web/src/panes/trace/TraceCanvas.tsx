// The flow of a thread on the canvas, with the way of a turn.

import type { ReactFlowInstance } from "@xyflow/react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { api } from "../../api";
import { useResource } from "../../app/resource";
import { type Flow, fields, flowOf } from "../../flow-canvas/flow";
import type { Opened } from "../../flow-canvas/elkGraph";
import { FlowCanvas } from "../../flow-canvas/FlowCanvas";
import { type Marks, NO_MARKS } from "../../flow-canvas/nodes";
import { Loaded } from "../../ui";
import { showNode } from "../../flow-canvas/view";
import { type Walk, openedOn, wayIn } from "../../flow-canvas/way";

interface Props {
  thread: string;
  walk: Walk;
  /** An addition at a node, such as its duration. */
  notes: ReadonlyMap<string, string>;
  /** A node was clicked. */
  onNode(node: string): void;
}

export function TraceCanvas({ thread, ...rest }: Props): ReactNode {
  const found = useResource(`flow of ${thread}`, () => api.flow(thread));
  return (
    <Loaded of={found} shape="canvas" lines={5}>
      {({ document }) => <Drawn document={document} {...rest} />}
    </Loaded>
  );
}

type DrawnProps = Omit<Props, "thread"> & { document: unknown };

function Drawn({ document, walk, notes, onNode }: DrawnProps): ReactNode {
  const text = JSON.stringify(document);
  const flow = useMemo((): Flow => flowOf(fields(JSON.parse(text))), [text]);
  const way = useMemo(() => wayIn(flow, walk), [flow, walk]);
  const marks = useMemo((): Marks => ({ ...NO_MARKS, way, notes }), [way, notes]);
  const [open, setOpen] = useState<Opened>(() => openedOn(flow, way, new Map()));
  const instance = useRef<ReactFlowInstance | null>(null);
  // Subgraphs that the way enters are opened; those that a person opened stay open.
  useEffect(() => setOpen((now) => openedOn(flow, way, now)), [flow, way]);
  const { active } = way;
  useEffect(() => {
    // After the layout of what was just opened.
    const timer = setTimeout(() => instance.current && showNode(instance.current, active, way.nodes, true), 300);
    return () => clearTimeout(timer);
  }, [active, way]);
  return (
    <FlowCanvas
      flow={flow}
      open={open}
      onOpen={setOpen}
      marks={marks}
      chosen={NONE}
      chosenEdge={null}
      begin={active || (flow.graphs.get("")?.entry ?? "")}
      onReady={(ready) => (instance.current = ready)}
      onNodeClick={(_, node) => onNode(node.id)}
      nodesDraggable={false}
      selectionKeyCode={null}
    />
  );
}

const NONE: ReadonlySet<string> = new Set();
