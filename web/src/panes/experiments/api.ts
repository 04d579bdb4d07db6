// The requests of the pane: the experiments of the server, and one of them.

import { client, content } from "../../api";
import type { components } from "../../api/schema";

export type Experiment = components["schemas"]["Experiment"];
export type Experiments = Omit<components["schemas"]["Experiments"], "next">;
export type ExperimentRow = components["schemas"]["ExperimentRow"];
export type Members = components["schemas"]["Members"];
export type Split = components["schemas"]["Split"];

export const experimentsApi = {
  list: (limit = 200) => content(client.GET("/api/v1/experiments", { params: { query: { limit } } })),
  one: (id: string) => content(client.GET("/api/v1/experiments/{id}", { params: { path: { id } } })),
};

/** The name of the agent for experiments. */
export const AGENT = "upgrade";
