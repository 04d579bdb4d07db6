// What is around a node, drawn; a click on another one adds what is around that.

import { type ReactNode, useState } from "react";
import { type GraphNode, type GraphPart, api } from "../../api";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { failed } from "../../app/toasts";
import { Badge, Loaded } from "../../ui";
import { JsonView } from "../../ui/json";
import { fromId, joined, nodeId, places, toId } from "./layout";
import { words } from "./words";

const MOST = 120; // nodes in a drawing
const MARGIN = 80;
const NAMED = 12; // edges that are drawn with their types; the types of more would lie on each other

export function Neighbourhood({ label, name }: { label: string; name: string }): ReactNode {
  const found = useResource(`graph/node/${label}/${name}`, () => api.graphNode(label, name));
  return <Loaded of={found}>{(part) => <Around part={part} centre={part.node} />}</Loaded>;
}

function Around({ part, centre }: { part: GraphPart; centre: GraphNode }): ReactNode {
  const say = useText(words);
  const [added, setAdded] = useState<GraphPart>({ nodes: [], edges: [], truncated: false });
  const [chosen, setChosen] = useState(nodeId(centre));
  const all = joined(part, added);
  const full = all.nodes.length >= MOST;
  const node = all.nodes.find((each) => nodeId(each) === chosen) ?? centre;
  const choose = (each: GraphNode) => {
    setChosen(nodeId(each));
    if (!full) api.graphNode(each.label, each.key).then((more) => setAdded((before) => joined(before, more)), failed);
  };
  return (
    <article className="graph-around">
      <Drawing part={all} centre={nodeId(centre)} chosen={chosen} onChoose={choose} />
      <p className="muted">
        {full ? say.full : say.expandHint} {all.truncated && say.cut}
      </p>
      <section aria-label={node.key}>
        <h2>
          {node.key} <Badge tone="accent">{node.label}</Badge>
        </h2>
        {nodeId(node) !== nodeId(centre) && (
          <p>
            <a href={hashOf("graph", ["node", node.label, node.key])}>{say.centre}</a>
          </p>
        )}
        <JsonView value={node.properties} />
      </section>
      <section aria-label={say.edges}>
        <h2>{say.edges}</h2>
        <ul className="graph-edges">
          {all.edges
            .filter((edge) => fromId(edge) === chosen || toId(edge) === chosen)
            .map((edge) => (
              <li key={`${fromId(edge)} ${edge.type} ${toId(edge)}`}>
                {edge.from_key} <Badge>{edge.type}</Badge> {edge.to_key}
              </li>
            ))}
        </ul>
      </section>
    </article>
  );
}

const short = (text: string): string => (text.length > 18 ? `${text.slice(0, 17)}…` : text);

function Drawing(props: {
  part: GraphPart;
  centre: string;
  chosen: string;
  onChoose(node: GraphNode): void;
}): ReactNode {
  const { part, centre, chosen, onChoose } = props;
  const say = useText(words);
  const at = places(centre, part.edges);
  const all = [...at.values()];
  const [left, top] = [Math.min(...all.map((each) => each.x)), Math.min(...all.map((each) => each.y))];
  const [right, bottom] = [Math.max(...all.map((each) => each.x)), Math.max(...all.map((each) => each.y))];
  const box = [left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN];
  const labels = [...new Set(part.nodes.map((each) => each.label))].sort();
  return (
    <div className="graph-frame">
      <svg viewBox={box.join(" ")} role="group" aria-label={say.around(centre)}>
        <defs>
          <marker id="graph-arrow" viewBox="0 0 8 8" refX="19" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {part.edges.map((edge) => {
          const [from, to] = [at.get(fromId(edge)), at.get(toId(edge))];
          if (!from || !to || from === to) return null;
          return (
            <g key={`${fromId(edge)} ${edge.type} ${toId(edge)}`} aria-hidden>
              <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} markerEnd="url(#graph-arrow)" />
              {part.edges.length <= NAMED && (
                <text className="graph-type" x={(from.x + to.x) / 2} y={(from.y + to.y) / 2 - 4}>
                  {short(edge.type)}
                </text>
              )}
            </g>
          );
        })}
        {part.nodes.map((node) => {
          const place = at.get(nodeId(node));
          if (!place) return null;
          return (
            <g
              key={nodeId(node)}
              className={`graph-node graph-colour-${labels.indexOf(node.label) % 5}`}
              role="button"
              tabIndex={0}
              aria-label={`${node.label} ${node.key}`}
              aria-pressed={nodeId(node) === chosen}
              transform={`translate(${place.x} ${place.y})`}
              onClick={() => onChoose(node)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onChoose(node);
              }}
            >
              <title>{`${node.label} ${node.key}`}</title>
              <circle r={nodeId(node) === centre ? 13 : 10} />
              <text y={26}>{short(node.key)}</text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
