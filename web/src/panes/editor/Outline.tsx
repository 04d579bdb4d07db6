// The flow as a tree: for screen readers, for the keyboard, and for flows that are too large for a picture.

import { type ReactNode, useState } from "react";
import { useText } from "../../app/language";
import { visible } from "../../ui/visible";
import { reveal } from "./codemirror";
import type { FlowEdge, FlowGraph, FlowNode } from "./model/flow";
import { ICONS, kindOf, titleOf } from "./nodes";
import { useSession, useSessionState } from "./useSession";
import { kindWords, words } from "./words";

const MOST = 500; // nodes listed for a search

export function Outline(): ReactNode {
  const { flow } = useSessionState();
  const say = useText(words);
  const [wanted, setWanted] = useState("");
  const query = wanted.trim().toLowerCase();
  const fits = (node: FlowNode) => !query || JSON.stringify(node.data).toLowerCase().includes(query);
  return (
    <div className="outline">
      <input
        className="input"
        type="search"
        placeholder={say.find}
        aria-label={say.find}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <ul role="tree" aria-label={say.outline}>
        {[...(flow?.graphs.values() ?? [])].map((graph) => (
          <Graph key={graph.name} graph={graph} nodes={graph.nodes.filter(fits).slice(0, MOST)} />
        ))}
      </ul>
    </div>
  );
}

function Graph({ graph, nodes }: { graph: FlowGraph; nodes: FlowNode[] }): ReactNode {
  if (nodes.length === 0) return null;
  return (
    <li role="treeitem" aria-expanded="true" aria-selected="false">
      {graph.name && <span className="outline-graph">{visible(graph.name)}</span>}
      <ul role="group">
        {nodes.map((node) => (
          <Node key={node.id} node={node} edges={graph.edges.filter((edge) => edge.from === node.id)} />
        ))}
      </ul>
    </li>
  );
}

function Node({ node, edges }: { node: FlowNode; edges: FlowEdge[] }): ReactNode {
  const session = useSession();
  const { selection } = useSessionState();
  const kinds = useText(kindWords);
  const say = useText(words);
  const kind = kindOf(node.type);
  const Icon = kind ? ICONS[kind] : null;
  const chosen = selection?.kind === "nodes" && selection.ids.includes(node.id);
  const go = () => {
    session.select({ kind: "nodes", ids: [node.id] });
    reveal(session.view, node.range[0], node.range[1]);
  };
  const goEdge = (edge: FlowEdge) => {
    session.select({ kind: "edge", key: edge.key });
    reveal(session.view, edge.range[0], edge.range[1]);
  };
  return (
    <li role="treeitem" aria-selected={chosen}>
      <button type="button" onClick={go}>
        {Icon && <Icon size={14} aria-label={kind ? kinds[kind] : node.type} />}
        <span className="cut">{visible(titleOf(node))}</span>
        <code className="faint cut">{visible(node.id)}</code>
      </button>
      {chosen && edges.length > 0 && (
        <ul role="group">
          {edges.map((edge) => (
            <li key={edge.key} role="treeitem" aria-selected="false">
              <button type="button" onClick={() => goEdge(edge)}>
                <span className="faint">→</span> <span className="cut">{visible(edge.to)}</span>
                <code className="faint cut">
                  {typeof edge.data.guard === "string" ? visible(edge.data.guard) : say.always}
                </code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
