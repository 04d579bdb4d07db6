// The neighbourhood of a node, drawn; a click on another node adds its neighbourhood.

import { type ReactNode, useState } from "react";
import { numberText, useText } from "../../app/language";
import { useKept, useResource } from "../../app/resource";
import { hashOf } from "../../app/router";
import { failed } from "../../app/toasts";
import { Badge, Loaded, MoreButton, Table } from "../../ui";
import { JsonView } from "../../ui/json";
import { fromId, joined, nodeId, places, toId } from "./layout";
import { words } from "./words";
import { visible } from "../../ui/visible";
import { type GraphNode, type GraphPart, graphApi } from "./api";

const DRAWN = 120; // maximum number of nodes in a drawing
const STEPS = [40, DRAWN, 500]; // requested nodes around one, at first and with each "more"
const ROWS = 50; // edges in the table at first, and with each "more"
const MARGIN = 80;
const SMALLEST = 0.65; // minimum scale of a drawing: a smaller one cannot be read
const NAMED = 12; // maximum number of edges that are drawn with their types; more would overlap

export function Neighbourhood({ label, name }: { label: string; name: string }): ReactNode {
  const [step, setStep] = useState(0);
  const limit = STEPS[step];
  const found = useResource(`graph/node/${limit}/${label}/${name}`, () => graphApi.node(label, name, limit));
  const kept = useKept(found.data);
  const more = step + 1 < STEPS.length ? () => setStep(step + 1) : null;
  return (
    <Loaded of={{ ...found, data: kept }}>
      {(part) => <Around part={part} centre={part.node} more={part.truncated ? more : null} />}
    </Loaded>
  );
}

function Around({ part, centre, more }: { part: GraphPart; centre: GraphNode; more: (() => void) | null }): ReactNode {
  const say = useText(words);
  const [added, setAdded] = useState<GraphPart>({ nodes: [], edges: [], truncated: false });
  const [chosen, setChosen] = useState(nodeId(centre));
  const [rows, setRows] = useState(ROWS);
  const all = joined(part, added);
  const full = all.nodes.length >= DRAWN;
  const node = all.nodes.find((each) => nodeId(each) === chosen) ?? centre;
  const choose = (each: GraphNode) => {
    setChosen(nodeId(each));
    setRows(ROWS);
    if (!full) graphApi.node(each.label, each.key).then((found) => setAdded((now) => joined(now, found)), failed);
  };
  const edges = all.edges.filter((edge) => fromId(edge) === nodeId(node) || toId(edge) === nodeId(node));
  const link = (label: string, key: string) =>
    `${label}/${key}` === nodeId(node) ? (
      <bdi>{visible(key)}</bdi>
    ) : (
      <a href={hashOf("graph", ["node", label, key])}>
        <bdi>{visible(key)}</bdi>
      </a>
    );
  return (
    <article className="graph-around">
      <Drawing part={drawn(all, chosen)} centre={nodeId(centre)} chosen={nodeId(node)} onChoose={choose} />
      <p className="muted">
        {all.nodes.length > DRAWN ? say.full(numberText(DRAWN), numberText(all.nodes.length)) : say.expandHint}
        {all.truncated && ` ${say.cut}`}
      </p>
      <MoreButton more={more} />
      <section aria-label={node.key}>
        <h2>
          <bdi>{visible(node.key)}</bdi> <Badge tone="accent">{node.label}</Badge>
        </h2>
        {nodeId(node) !== nodeId(centre) && (
          <p>
            <a href={hashOf("graph", ["node", node.label, node.key])}>{say.centre}</a>
          </p>
        )}
        <JsonView value={node.properties} />
      </section>
      <section aria-label={say.edges}>
        <h2>
          {say.edges} ({numberText(edges.length)})
        </h2>
        {edges.length === 0 ? (
          <p className="muted">{say.noEdges}</p>
        ) : (
          <Table
            label={say.edges}
            columns={[say.from, say.type, say.to, say.properties]}
            rows={edges
              .slice(0, rows)
              .map((edge) => [
                link(edge.from_label, edge.from_key),
                <Badge>{edge.type}</Badge>,
                link(edge.to_label, edge.to_key),
                Object.keys(edge.properties).length > 0 && <JsonView value={edge.properties} />,
              ])}
          />
        )}
        <MoreButton more={edges.length > rows ? () => setRows(rows + ROWS) : null} />
      </section>
    </article>
  );
}

/** The drawn part: its first nodes and the chosen one, with the edges between them. */
function drawn(part: GraphPart, chosen: string): GraphPart {
  const nodes = part.nodes.filter((each, place) => place < DRAWN || nodeId(each) === chosen);
  const there = new Set(nodes.map(nodeId));
  return { ...part, nodes, edges: part.edges.filter((edge) => there.has(fromId(edge)) && there.has(toId(edge))) };
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
      <svg
        viewBox={box.join(" ")}
        style={{ maxWidth: box[2], minWidth: SMALLEST * box[2]! }}
        role="group"
        aria-label={say.around(centre)}
      >
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
              aria-label={visible(`${node.label} ${node.key}`)}
              aria-pressed={nodeId(node) === chosen}
              transform={`translate(${place.x} ${place.y})`}
              onClick={() => onChoose(node)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onChoose(node);
              }}
            >
              <title>{visible(`${node.label} ${node.key}`)}</title>
              <rect className="graph-hit" x={-32} y={-14} width={64} height={46} />
              <circle r={nodeId(node) === centre ? 13 : 10} />
              <text y={26}>{short(node.key)}</text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
