// Requests of the editor: drafts, their check, test runs, and versions.

import { type JsonObject, client, content, request } from "../../api";
import type { components } from "../../api/schema";
import { frames } from "../../sse";

type Schemas = components["schemas"];

export type FlowOfAgent = Schemas["FlowOfAgent"];
/** The documents of an agent with line breaks `\n`, and whether the service has the draft with `\r\n`. */
export type DraftText = Schemas["DraftText"] & { crlf: boolean };
export type DraftChecked = Schemas["DraftChecked"];
export type Finding = Schemas["Finding"];
export type KnownName = Schemas["Name"];
export type Palette = Schemas["Palette"];
export type Version = Schemas["Version"];
export type Preview = Schemas["Preview"];
export type GuardResults = Schemas["GuardResults"];
export type AssuranceResult = Schemas["AssuranceResult"];
export type ChangeLine = Schemas["ChangeLine"];
export type Compared = Schemas["Compared"];
export type ChangedPart = Schemas["ChangedPart"];
export type DraftLayers = Schemas["DraftLayers"];
export type LayerConflict = Schemas["LayerConflict"];
export type LayerSetting = Schemas["Setting"];

export type TestResult = Schemas["ConversationResult"];
export type Coverage = Schemas["Coverage"];
export type TestEvent = Schemas["TestEvent"];

/** The characters of a document that the service takes. */
export const LONGEST = 1_000_000;

/** A text with the line breaks that CodeMirror uses. */
export const withPlainBreaks = (text: string): string => text.replace(/\r\n?/g, "\n");

const asEdited = (found: Schemas["DraftText"]): DraftText => ({
  ...found,
  text: withPlainBreaks(found.text),
  active: withPlainBreaks(found.active),
  file: withPlainBreaks(found.file),
  crlf: found.text.includes("\r\n"),
});

const of = (agent: string) => ({ path: { agent } });

export const editorApi = {
  flows: () => content(client.GET("/api/v1/flows")),
  schema: () => content(client.GET("/api/v1/flows/schema")) as Promise<JsonObject>,
  palette: (agent: string) => content(client.GET("/api/v1/flows/{agent}/palette", { params: of(agent) })),
  draft: (agent: string) => content(client.GET("/api/v1/flows/{agent}/draft", { params: of(agent) })).then(asEdited),
  /** Saves a text over the draft that the service has, with its line breaks. */
  save: (agent: string, text: string, { revision, crlf }: DraftText) =>
    content(
      client.PUT("/api/v1/flows/{agent}/draft", {
        params: { ...of(agent), header: { "if-match": `"${revision}"` } },
        body: { text: crlf ? text.replaceAll("\n", "\r\n") : text },
      }),
    ).then(asEdited),
  check: (agent: string, text: string, signal?: AbortSignal) =>
    content(
      client.POST("/api/v1/flows/{agent}/check", { params: of(agent), body: { text }, ...(signal ? { signal } : {}) }),
    ),
  record: (agent: string, id: string, name: string, keep: boolean, replace = false) =>
    content(
      client.POST("/api/v1/flows/{agent}/trials/{id}/conversation", {
        params: { path: { agent, id } },
        body: { name, keep, replace },
      }),
    ),
  deleteConversation: (agent: string, name: string) =>
    content(
      client.DELETE("/api/v1/flows/{agent}/conversations/{name}", { params: { path: { agent, name } } }),
    ) as Promise<unknown>,
  export: (agent: string, text: string, format: "json" | "svg" | "mermaid") =>
    request(`flows/${encodeURIComponent(agent)}/export`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text, format }),
    }).then((response) => response.text()),
  guards: (agent: string, text: string, answers: JsonObject, signal: AbortSignal) =>
    content(client.POST("/api/v1/flows/{agent}/guards", { params: of(agent), body: { text, answers }, signal })),
  assurances: (agent: string, text: string) =>
    content(client.POST("/api/v1/flows/{agent}/assurances", { params: of(agent), body: { text } })),
  compare: (agent: string, before: string, after: string) =>
    content(client.POST("/api/v1/flows/{agent}/compare", { params: of(agent), body: { before, after } })),
  layers: (agent: string, text: string, signal: AbortSignal) =>
    content(client.POST("/api/v1/flows/{agent}/layers", { params: of(agent), body: { text }, signal })),
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
  for await (const frame of frames(response)) yield JSON.parse(frame.data) as TestEvent;
}
