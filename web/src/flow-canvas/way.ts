// The way of a turn through its flow: the walk in its events, and what the canvas highlights of it.

import { type RunEvent, isStop, nodeOf } from "../api/events";
import { edgeKeys } from "./edges";
import { EXIT, type Flow, callees } from "./flow";
import { jumpsIn } from "./jumps";
import type { Opened } from "./elkGraph";
import type { Way } from "./nodes";

/** A step from a node to another one. */
interface Step {
  from: string;
  to: string;
  /** The id of the edge; empty for a jump. */
  edge: string;
}

/** The nodes and steps of a turn, also those that a later version of the flow does not have. */
export interface Walk {
  nodes: Set<string>;
  steps: Step[];
  /** The node at the end of the walk. */
  active: string;
  /** The node whose failure ended it; empty for none. */
  failed: string;
  /** The user stopped it. */
  stopped: boolean;
}

const WALKS = new Set(["node_entered", "action_started", "prompted", "subgraph_left"]);

/** The walk of these events, up to the first `count` of them. */
export function walkOf(events: readonly RunEvent[], count = events.length): Walk {
  const walk: Walk = { nodes: new Set(), steps: [], active: "", failed: "", stopped: false };
  const stand = (node: string) => {
    if (node) walk.nodes.add((walk.active = node));
  };
  // A turn continues at the last node of the walk, which is the node of the first event that has one.
  stand(events.map(nodeOf).find(Boolean) ?? "");
  for (const event of events.slice(0, count)) {
    if (event.type === "edge_taken" || event.type === "jumped" || event.type === "escalated") {
      const from = event.type === "escalated" ? event.node : event.source;
      const to = event.target;
      if (from) walk.nodes.add(from);
      walk.steps.push({ from, to, edge: event.type === "edge_taken" ? event.edge : "" });
      if (to !== EXIT) stand(to);
    } else if (WALKS.has(event.type)) stand(nodeOf(event));
    if (isStop(event)) walk.stopped = true;
    else if (event.type === "action_failed" || event.type === "turn_failed") walk.failed = nodeOf(event) || walk.active;
    else if (event.type === "action_started" || event.type === "edge_taken") walk.failed = "";
  }
  return walk;
}

/** The subgraph nodes around these nodes, each with the graph that it enters; of several the one on the way. */
function around(flow: Flow, nodes: ReadonlySet<string>, active: string): Map<string, string> {
  const found = new Map<string, string>();
  // The active node is last: a subgraph node that entered several graphs shows its graph.
  for (const id of [...nodes, active]) {
    const passed = new Set<string>();
    for (let graph = flow.nodes.get(id)?.graph ?? ""; graph !== "" && !passed.has(graph);) {
      passed.add(graph);
      const callers = [...flow.nodes.values()].filter((each) => callees(flow, each).includes(graph));
      const caller = callers.find((each) => nodes.has(each.id)) ?? callers[0];
      if (!caller) break;
      found.set(caller.id, graph);
      graph = caller.graph;
    }
  }
  return found;
}

/** The nodes that the flow has, with the subgraph nodes around them. */
function nodesIn(flow: Flow, ids: Iterable<string>): Set<string> {
  const nodes = new Set([...ids].filter((id) => flow.nodes.has(id)));
  for (const outer of around(flow, nodes, "").keys()) nodes.add(outer);
  return nodes;
}

/** The walk as the canvas shows it in this version of the flow: what is not in it is left out. */
export function wayIn(flow: Flow, walk: Walk): Way {
  const keys = edgeKeys(flow);
  // An edge first: a transition without one between the same nodes is rare.
  const all = [...flow.edges.values(), ...[...flow.graphs.values()].flatMap(jumpsIn)];
  const edges = new Set<string>();
  const jumps: { from: string; to: string }[] = [];
  for (const { from, to, edge } of walk.steps) {
    const key = keys.get(edge) ?? all.find((each) => each.from === from && each.to === to)?.key;
    if (key) edges.add(key);
    else if (flow.nodes.has(from) && flow.nodes.has(to)) jumps.push({ from, to });
  }
  const active = flow.nodes.has(walk.active) ? walk.active : "";
  const failed = flow.nodes.has(walk.failed) ? walk.failed : "";
  return { nodes: nodesIn(flow, walk.nodes), edges, jumps, active, failed };
}

/** The way through these nodes, as far as edges lead from each to the next. */
export function wayOfNodes(flow: Flow, path: readonly string[]): Way {
  const edges = new Set<string>();
  for (const edge of flow.edges.values())
    if (path.some((id, index) => id === edge.from && path[index + 1] === edge.to)) edges.add(edge.key);
  return { nodes: nodesIn(flow, path), edges, active: path.at(-1) ?? "" };
}

/** The subgraphs that are open so that the whole way can be seen: those of its nodes, besides the ones open before. */
export function openedOn(flow: Flow, way: Pick<Way, "nodes" | "active">, before: Opened): Opened {
  const open = new Map([...before, ...around(flow, way.nodes, way.active)]);
  const same = open.size === before.size && [...open].every(([node, graph]) => before.get(node) === graph);
  return same ? before : open;
}
