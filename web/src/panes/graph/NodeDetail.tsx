// The chosen node: its properties, and a table of its edges.

import { ArrowLeft, ArrowRight, X } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import { numberText, useText } from "../../app/language";
import { hashOf } from "../../app/router";
import { Badge, IconButton, MoreButton, Table } from "../../ui";
import { JsonView } from "../../ui/json";
import { visible } from "../../ui/visible";
import type { GraphNode, GraphPart } from "./api";
import { captionOf, fromId, nodeId, toId } from "./layout";
import { words } from "./words";

const ROWS = 50; // edges in the table at first, and with each "more"

interface Props {
  node: GraphNode;
  part: GraphPart;
  /** The node from which the picture began. */
  centre: string;
  /** Loads more of what is around the centre; null if all of it is there. */
  more: (() => void) | null;
  onClose(): void;
}

export function NodeDetail({ node, part, centre, more, onClose }: Props): ReactNode {
  const say = useText(words);
  const [rows, setRows] = useState(ROWS);
  const edges = part.edges.filter((edge) => fromId(edge) === nodeId(node) || toId(edge) === nodeId(node));
  const link = (label: string, key: string) =>
    `${label}/${key}` === nodeId(node) ? (
      <bdi>{visible(key)}</bdi>
    ) : (
      <a href={hashOf("graph", ["node", label, key])}>
        <bdi>{visible(key)}</bdi>
      </a>
    );
  return (
    <aside className="graph-detail" aria-label={say.chosen}>
      <section aria-label={node.key}>
        <header>
          <h2>
            <bdi>{visible(captionOf(node))}</bdi>
          </h2>
          {captionOf(node) !== node.key && <code>{visible(node.key)}</code>}
          <Badge tone="accent">{node.label}</Badge>
          <IconButton icon={X} label={say.closeNode} onClick={onClose} />
        </header>
        {nodeId(node) !== centre && (
          <p>
            <a href={hashOf("graph", ["node", node.label, node.key])}>{say.centre}</a>
          </p>
        )}
        <JsonView value={node.properties} />
      </section>
      <section aria-label={say.edges}>
        <h2>
          {say.edges} ({part.truncated ? say.loaded(numberText(edges.length)) : numberText(edges.length)})
        </h2>
        {edges.length === 0 ? (
          <p className="muted">{say.noEdges}</p>
        ) : (
          <Table
            label={say.edges}
            columns={[say.type, say.node]}
            rows={edges.slice(0, rows).map((edge) => {
              const leaves = fromId(edge) === nodeId(node);
              return [
                <span key="type" className="graph-way">
                  {leaves ? (
                    <ArrowRight size={13} aria-label={say.leaves} />
                  ) : (
                    <ArrowLeft size={13} aria-label={say.comes} />
                  )}
                  <Badge>{edge.type}</Badge>
                </span>,
                <Fragment key="other">
                  {leaves ? link(edge.to_label, edge.to_key) : link(edge.from_label, edge.from_key)}
                  {Object.keys(edge.properties).length > 0 && <JsonView value={edge.properties} />}
                </Fragment>,
              ];
            })}
          />
        )}
        <MoreButton more={edges.length > rows ? () => setRows(rows + ROWS) : nodeId(node) === centre ? more : null} />
      </section>
    </aside>
  );
}
