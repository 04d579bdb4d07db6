// The flow as a tree: for screen readers, for the keyboard, and for flows that are too large for a picture.

import { type KeyboardEvent, type ReactNode, useMemo, useState } from "react";
import { useText } from "../../app/language";
import { SearchField } from "../../ui";
import { visible } from "../../ui/visible";
import { worst } from "./model/flow";
import { showPart } from "./codemirror";
import { inShort, useHeadline } from "./headlines";
import { EXIT, type FlowEdge, type FlowGraph, type FlowNode } from "../../flow-canvas/flow";
import { type Finding, ICONS, Sign, kindOf } from "../../flow-canvas/nodes";
import { titleOf } from "../../flow-canvas/titles";
import { useSession, useSessionState } from "./useSession";
import { kindWords, words as canvasWords } from "../../flow-canvas/words";
import { words } from "./words";

type Findings = ReadonlyMap<string, Finding>;

const MOST = 500; // nodes listed for a search

export function Outline(): ReactNode {
  const { shown: flow, checked } = useSessionState();
  const headline = useHeadline();
  const findings = useMemo(
    () => (flow && checked ? worst(flow, inShort(checked.diagnostics, headline)) : new Map()),
    [flow, checked, headline],
  );
  const say = useText(words);
  const [wanted, setWanted] = useState("");
  const query = wanted.trim().toLowerCase();
  const fits = (node: FlowNode) => !query || JSON.stringify(node.data).toLowerCase().includes(query);
  return (
    <div className="outline">
      <SearchField label={say.find} value={wanted} onChange={setWanted} />
      <ul role="tree" aria-label={say.outline} onKeyDown={moveFocus}>
        {[...(flow?.graphs.values() ?? [])].map((graph) => (
          <Graph key={graph.name} findings={findings} graph={graph} nodes={graph.nodes.filter(fits).slice(0, MOST)} />
        ))}
      </ul>
    </div>
  );
}

/** Moves the focus to the next line, or to the one before. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const lines = [...event.currentTarget.querySelectorAll("button")];
  lines[lines.findIndex((each) => each === document.activeElement) + by]?.focus();
}

function Graph({ graph, nodes, findings }: { graph: FlowGraph; nodes: FlowNode[]; findings: Findings }): ReactNode {
  if (nodes.length === 0) return null;
  return (
    <li role="treeitem" aria-expanded="true" aria-selected="false">
      {graph.name && <span className="outline-graph">{visible(graph.name)}</span>}
      <ul role="group">
        {nodes.map((node) => (
          <Node
            key={node.id}
            node={node}
            findings={findings}
            edges={graph.edges.filter((edge) => edge.from === node.id)}
          />
        ))}
      </ul>
    </li>
  );
}

function Node({ node, edges, findings }: { node: FlowNode; edges: FlowEdge[]; findings: Findings }): ReactNode {
  const session = useSession();
  const { selection, shown } = useSessionState();
  const kinds = useText(kindWords);
  const say = useText(words);
  const canvas = useText(canvasWords);
  const kind = kindOf(node.type);
  const Icon = kind ? ICONS[kind] : null;
  const chosen = selection?.kind === "nodes" && selection.ids.includes(node.id);
  // The edges are listed only at the chosen node.
  const finding = [node.id, ...(chosen ? [] : edges.map((each) => each.key))].flatMap(
    (key) => findings.get(key) ?? [],
  )[0];
  const target = (id: string) => {
    const found = shown?.nodes.get(id);
    return found ? visible(titleOf(found)) : id === EXIT ? canvas.exit : visible(id);
  };
  const go = () => {
    session.select({ kind: "nodes", ids: [node.id] });
    showPart(session, node);
  };
  const goEdge = (edge: FlowEdge) => {
    session.select({ kind: "edge", key: edge.key });
    showPart(session, edge);
  };
  return (
    <li role="treeitem" aria-selected={chosen}>
      <button type="button" onClick={go}>
        <span className={`outline-kind flow-${kind ?? "unknown"}`}>
          {Icon && <Icon size={14} aria-label={kind ? kinds[kind] : node.type} />}
        </span>
        <span className="cut">{visible(titleOf(node))}</span>
        {finding && <Sign finding={finding} />}
        <code className="faint cut">{visible(node.id)}</code>
      </button>
      {chosen && edges.length > 0 && (
        <ul role="group">
          {edges.map((edge) => (
            <li key={edge.key} role="treeitem" aria-selected="false">
              <button type="button" onClick={() => goEdge(edge)}>
                <span className="faint">→</span> <span className="cut">{target(edge.to)}</span>
                {findings.has(edge.key) && <Sign finding={findings.get(edge.key)!} />}
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
