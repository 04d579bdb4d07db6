// The requests of the pane: parts of the graph, its journal, and undoing an entry.

import { client, content } from "../../api";
import type { components } from "../../api/schema";

type Schemas = components["schemas"];
export type GraphNode = Schemas["GraphNode"];
export type GraphEdge = Schemas["GraphEdge"];
export type GraphPart = Pick<Schemas["Graph"], "nodes" | "edges" | "truncated">;
export type GraphChange = Schemas["GraphChange"];
export type Goal = Schemas["Entry"];

const of = (goal: string) => ({ params: { path: { goal } } });

export const graphApi = {
  graph: (query: { q?: string; label?: string; limit?: number }) =>
    content(client.GET("/api/v1/graph", { params: { query } })),
  node: (label: string, key: string, limit = 40) =>
    content(client.GET("/api/v1/graph/nodes/{label}", { params: { path: { label }, query: { node: key, limit } } })),
  journal: (cursor?: string) =>
    content(client.GET("/api/v1/graph/journal", { params: { query: { cursor: Number(cursor ?? 0) } } })),
  goal: (goal: string) => content(client.GET("/api/v1/graph/journal/{goal}", of(goal))),
  previewUndo: (goal: string) =>
    content(client.POST("/api/v1/graph/journal/{goal}/undo", { ...of(goal), body: { preview: true } })) as Promise<
      Schemas["UndoPreview"]
    >,
  undo: (goal: string, approves: string) =>
    content(client.POST("/api/v1/graph/journal/{goal}/undo", { ...of(goal), body: { preview: false, approves } })),
};

/** The agent that changes the graph. */
export const AGENT = "graph_editor";
