// A layer below the picture that draws on one canvas what would be too many elements: the edges of a large part of the
// graph with their types, and from afar the nodes as dots.

import { useStore } from "@xyflow/react";
import { type ReactNode, useEffect, useRef } from "react";
import { useStore as useSetting } from "../../app/store";
import { shownTheme, theme } from "../../app/theme";
import type { GraphEdge, GraphNode } from "./api";
import type { Places, Point } from "./forces";
import { fromId, nodeId, sizeOf, toId } from "./layout";

const NAMED = 0.6; // zoom from which types are written
const MOST_NAMES = 150; // types written in one view
const MARGIN = 20; // px outside the view in which types still count as inside

interface Props {
  edges: readonly GraphEdge[];
  /** The nodes that are drawn as dots. */
  dots: readonly GraphNode[];
  places: Places;
  degrees: ReadonlyMap<string, number>;
  colours: ReadonlyMap<string, number>;
  chosen: string;
}

export function Layer({ edges, dots, places, degrees, colours, chosen }: Props): ReactNode {
  const [x, y, zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useSetting(theme);
  const look = shownTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !canvas.current) return;
    const style = getComputedStyle(canvas.current);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const at = (id: string): Point | undefined => {
      const place = places[id];
      return place && { x: place.x * zoom + x, y: place.y * zoom + y };
    };
    const isSeen = (point: Point) =>
      point.x > -MARGIN && point.x < width + MARGIN && point.y > -MARGIN && point.y < height + MARGIN;
    context.clearRect(0, 0, width, height);

    const lines = edges.flatMap((edge) => {
      const [from, to] = [at(fromId(edge)), at(toId(edge))];
      return from && to
        ? [{ from, to, type: edge.type, isNear: fromId(edge) === chosen || toId(edge) === chosen }]
        : [];
    });
    for (const isNear of [false, true]) {
      context.strokeStyle = colour(isNear ? "--accent" : "--line-strong");
      const some = lines.filter((each) => each.isNear === isNear);
      // The many edges of a hub must not hide what is around it.
      context.globalAlpha = isNear ? Math.max(0.15, Math.min(0.8, 40 / some.length)) : 1;
      context.beginPath();
      for (const { from, to } of some) {
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
      }
      context.stroke();
    }
    context.globalAlpha = 1;

    if (zoom >= NAMED) {
      context.font = `${Math.round(10 * zoom)}px ${colour("--font")}`;
      context.textAlign = "center";
      context.strokeStyle = colour("--page");
      context.lineWidth = 3;
      let count = 0;
      for (const { from, to, type, isNear } of lines) {
        const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
        if (!isSeen(middle) || (count += 1) > MOST_NAMES) continue;
        let angle = Math.atan2(to.y - from.y, to.x - from.x);
        if (Math.abs(angle) > Math.PI / 2) angle += Math.PI;
        context.save();
        context.translate(middle.x, middle.y);
        context.rotate(angle);
        context.fillStyle = colour(isNear ? "--accent" : "--text-soft");
        context.strokeText(type, 0, -3);
        context.fillText(type, 0, -3);
        context.restore();
      }
      context.lineWidth = 1;
    }

    const palette = new Map([...colours].map(([label, number]) => [label, colour(`--kind-${number}`)]));
    for (const node of dots) {
      const point = at(nodeId(node));
      if (!point || !isSeen(point)) continue;
      context.fillStyle = palette.get(node.label) ?? "";
      context.beginPath();
      const radius = Math.max(2.5, (sizeOf(degrees.get(nodeId(node)) ?? 0) / 2) * zoom);
      context.arc(point.x, point.y, nodeId(node) === chosen ? Math.max(7, radius) : radius, 0, 2 * Math.PI);
      context.fill();
    }
  }, [edges, dots, places, degrees, colours, chosen, x, y, zoom, width, height, look]);
  return <canvas ref={canvas} className="graph-layer" width={width} height={height} />;
}
