// The flow before and after, side by side: what differs is in view, and moving one picture moves the other.

import type { ReactFlowInstance, Rect, Viewport } from "@xyflow/react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useText } from "../../app/language";
import type { Opened } from "../../flow-canvas/elkGraph";
import { FlowCanvas } from "../../flow-canvas/FlowCanvas";
import { NO_MARKS } from "../../flow-canvas/nodes";
import { PADDING } from "../../flow-canvas/view";
import type { ChangedPart, Compared } from "./api";
import type { Sides } from "./Changes";
import type { Change } from "./model/changes";
import { tonesOf } from "./model/tones";
import { words } from "./words";

const SIDES = ["before", "after"] as const;
type Side = (typeof SIDES)[number];

const LEAST = 0.7; // the smallest zoom at which what differs is shown
const ROOM = 36; // px around it
const BARS = 48; // px at the bottom with the buttons of the canvas

interface Props {
  compared: Compared;
  sides: Sides;
  titles: [string, string];
  chosen: Change | null;
  /** One picture at a time. */
  narrow: boolean;
}

const NONE: ReadonlySet<string> = new Set();

export function ComparedPictures({ compared, sides, titles, chosen, narrow }: Props): ReactNode {
  const say = useText(words);
  const instances = useRef(new Map<Side, ReactFlowInstance>());
  const frame = useRef<HTMLElement>(null);
  const [open, setOpen] = useState<Opened>(new Map());
  const [one, setOne] = useState<Side>("after");
  const marks = useMemo(() => {
    const { before, after } = tonesOf(compared);
    return { before: { ...NO_MARKS, tones: before }, after: { ...NO_MARKS, tones: after } };
  }, [compared]);
  const shown = narrow ? [one] : SIDES;

  /** The nodes of one side that a part is, or connects. */
  const nodesOf = useCallback(
    (part: ChangedPart, side: Side): string[] => {
      if (part.what === "node") return part[side] ? [part[side]] : [];
      const edge = sides[side].edges.get(sides.keys[side].get(part[side]) ?? "");
      return edge ? [edge.from, edge.to] : [];
    },
    [sides],
  );
  /**
   * Shows parts in both pictures at the same place and size: with the whole flow if that can be read, otherwise alone,
   * or the first of them.
   */
  const show = useCallback(
    (parts: readonly ChangedPart[]) => {
      const place = frame.current?.querySelector(".flow-canvas")?.getBoundingClientRect();
      if (!place) return;
      const boundsOf = (some: readonly ChangedPart[]): Rect | null => {
        const found = [...instances.current].flatMap(([side, instance]) => {
          const ids = new Set(some.flatMap((each) => nodesOf(each, side)));
          const nodes = instance.getNodes().filter((each) => ids.has(each.id));
          return nodes.length > 0 ? [instance.getNodesBounds(nodes)] : [];
        });
        return found.length > 0 ? found.reduce(around) : null;
      };
      const everything = (): Rect | null => {
        const found = [...instances.current.values()].map((each) => each.getNodesBounds(each.getNodes()));
        return found.length > 0 ? found.reduce(around) : null;
      };
      const zoomOf = ({ width, height }: Rect) =>
        Math.min((place.width - 2 * ROOM) / width, (place.height - BARS - 2 * ROOM) / height, 1);
      const fits = (bounds: Rect | null) => bounds !== null && zoomOf(bounds) >= LEAST;
      const [flow, whole] = [everything(), boundsOf(parts)];
      const bounds = fits(flow) ? flow : fits(whole) ? whole : boundsOf(parts.slice(0, 1));
      if (!bounds) {
        for (const instance of instances.current.values()) void instance.fitView({ padding: PADDING, maxZoom: 1 });
        return;
      }
      const zoom = Math.max(zoomOf(bounds), LEAST);
      const viewport = {
        x: place.width / 2 - (bounds.x + bounds.width / 2) * zoom,
        y: (place.height - BARS) / 2 - (bounds.y + bounds.height / 2) * zoom,
        zoom,
      };
      for (const instance of instances.current.values()) void instance.setViewport(viewport);
    },
    [nodesOf],
  );
  const all = useMemo(() => compared.parts.filter((each) => !each.layout_only), [compared]);
  const shownFirst = useCallback(() => show(chosen?.part ? [chosen.part] : all), [show, chosen, all]);
  const moved = useRef(false);
  useEffect(() => {
    if (chosen?.part) show([chosen.part]);
    const place = frame.current;
    if (!place) return;
    // The room of the pictures may change while the dialog opens.
    const observer = new ResizeObserver(() => moved.current || shownFirst());
    observer.observe(place);
    return () => observer.disconnect();
  }, [chosen, show, shownFirst, one]);
  const follow = (side: Side) => (event: unknown, viewport: Viewport) => {
    // A move without an event was made here.
    if (!event) return;
    moved.current = true;
    for (const [other, instance] of instances.current) if (other !== side) void instance.setViewport(viewport);
  };
  return (
    <div className="compare-pictures">
      {narrow && (
        <div className="editor-views" role="tablist" aria-label={say.view}>
          {SIDES.map((side, index) => (
            <button key={side} type="button" role="tab" aria-selected={one === side} onClick={() => setOne(side)}>
              {titles[index]}
            </button>
          ))}
        </div>
      )}
      {shown.map((side) => (
        <figure key={side} ref={frame}>
          {!narrow && <figcaption>{titles[SIDES.indexOf(side)]}</figcaption>}
          <FlowCanvas
            flow={sides[side]}
            open={open}
            onOpen={setOpen}
            marks={marks[side]}
            chosen={chosen?.part ? new Set(nodesOf(chosen.part, side)) : NONE}
            chosenEdge={chosen?.part?.what === "edge" ? (sides.keys[side].get(chosen.part[side]) ?? null) : null}
            begin=""
            onReady={(instance) => {
              instances.current.set(side, instance);
              for (const each of instances.current.keys()) if (!shown.includes(each)) instances.current.delete(each);
              if (instances.current.size === shown.length) shownFirst();
            }}
            onMove={follow(side)}
            nodesDraggable={false}
          />
        </figure>
      ))}
    </div>
  );
}

const around = (one: Rect, other: Rect): Rect => {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
};
