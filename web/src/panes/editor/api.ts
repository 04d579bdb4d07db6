// Requests of the editor: drafts, their check, test runs, and versions.

import { type JsonObject, client, content, request } from "../../api";
import type { components } from "../../api/schema";
import { frames } from "../../sse";

type Schemas = components["schemas"];

export type FlowOfAgent = Schemas["FlowOfAgent"];
export type DraftText = Schemas["DraftText"];
export type DraftChecked = Schemas["DraftChecked"];
export type Finding = Schemas["Finding"];
export type KnownName = Schemas["Name"];
export type Palette = Schemas["Palette"];
export type Version = Schemas["Version"];
export type Preview = Schemas["Preview"];

/** The result of one conversation, as `graphwright test --json` shows it. */
export interface TestResult {
  file: string;
  status: "passed" | "failed" | "unusable";
  seconds?: number;
  turns?: number;
  mismatches?: { turn: number | null; line: number | null; message: string; diff: string[] }[];
  trace_lines?: string[];
  error?: { message: string; hint?: string };
}

interface Gaps {
  reached: number;
  total: number;
  percent: number;
  never: { what: string; never: string }[];
}

export interface Coverage {
  edges: Gaps;
  guards: Gaps;
  nodes: Gaps;
}

export type TestEvent =
  | { kind: "total"; total: number }
  | { kind: "result"; result: TestResult }
  | { kind: "coverage"; coverage: Coverage | null }
  | { kind: "error"; error: { message: string; hint: string } };

const of = (agent: string) => ({ path: { agent } });

export const editorApi = {
  flows: () => content(client.GET("/api/v1/flows")),
  schema: () => content(client.GET("/api/v1/flows/schema")) as Promise<JsonObject>,
  palette: (agent: string) => content(client.GET("/api/v1/flows/{agent}/palette", { params: of(agent) })),
  draft: (agent: string) => content(client.GET("/api/v1/flows/{agent}/draft", { params: of(agent) })),
  save: (agent: string, text: string, revision: number) =>
    content(
      client.PUT("/api/v1/flows/{agent}/draft", {
        params: { ...of(agent), header: { "if-match": `"${revision}"` } },
        body: { text },
      }),
    ),
  check: (agent: string, text: string, signal: AbortSignal) =>
    content(client.POST("/api/v1/flows/{agent}/check", { params: of(agent), body: { text }, signal })),
  preview: (agent: string, text: string) =>
    content(client.POST("/api/v1/flows/{agent}/preview", { params: of(agent), body: { text } })),
  publish: (agent: string, revision: number, hash: string, note: string) =>
    content(client.POST("/api/v1/flows/{agent}/publish", { params: of(agent), body: { revision, hash, note } })),
  versions: (agent: string) => content(client.GET("/api/v1/flows/{agent}/versions", { params: of(agent) })),
  version: (agent: string, number: number) =>
    content(client.GET("/api/v1/flows/{agent}/versions/{number}", { params: { path: { agent, number } } })),
};

/** Runs the conversations of an agent on a text. Aborting the signal stops them. */
export async function* runTests(
  agent: string,
  text: string,
  only: string[],
  signal: AbortSignal,
): AsyncGenerator<TestEvent> {
  const response = await request(`flows/${encodeURIComponent(agent)}/tests`, {
    method: "POST",
    headers: { Accept: "text/event-stream", "Content-Type": "application/json" },
    body: JSON.stringify({ text, only }),
    signal,
  });
  for await (const frame of frames(response))
    yield { kind: frame.event, [frame.event]: JSON.parse(frame.data) } as unknown as TestEvent;
}
