// The client of the service: the names of its types, and one function for each request. Panes of packages have their
// own functions.

import { address, client, content } from "./client";
import type { components, operations } from "./schema";
import type { Json, JsonObject } from "./json";

export { Problem, address, apiKey, client, content, download, onRefusedKey, request, signIn } from "./client";
export { isConnected, isUnanswered } from "./client";
export type { Query } from "./client";
export { follow } from "./follow";
export type { RunFrame } from "./follow";
export { fieldsOf, nodeOf } from "./events";
export type { Event, EventOf, RunEvent } from "./events";
export type { Json, JsonObject } from "./json";

type Schemas = components["schemas"];

export interface Page<T> {
  items: T[];
  next: string | null;
}

export type Me = Schemas["Me"];
export type PaneShown = Schemas["PaneShown"];
export type Agent = Schemas["Agent"];
export type Thread = Schemas["ListedThread"];
export type Status = Thread["status"];
export type Option = Schemas["Choice"];
export type Approval = Schemas["ApprovalAsked"];
export type Support = Approval["marks"][string];
export type WaitingFor = Schemas["WaitingNow"];
export type KeptRecord = Schemas["Record"];
export type ThreadState = Schemas["State"];
export type Run = Schemas["Run"];
export type TraceRow = Schemas["PricedRow"];
export type TurnRow = Schemas["TurnRow"];
export type Message = Schemas["MessageSaid"];
export type Upload = Schemas["Uploaded"];
export type Interaction = Schemas["Logged"];
export type LogSummary = Schemas["LogSummary"];
export type DataColumn = Schemas["DataColumn"];
export type DataNote = Schemas["DataNote"];
export type DataSet = Schemas["DataSet"];
export type NoDataSet = Schemas["NoDataSet"];
export type ApiKey = Schemas["Key"];
export type AuditEntry = Schemas["Audited"];

export type Branch = Schemas["Branch"];
export type Decided = Schemas["Decided"];
export type Feedback = Schemas["FeedbackGiven"];

/** The filters of the list of threads. */
export type ThreadsQuery = NonNullable<operations["list_threads"]["parameters"]["query"]>;

/** The filters of the audit. */
export type AuditQuery = Omit<NonNullable<operations["list_audit_entries"]["parameters"]["query"]>, "cursor">;

/** The filters of the interaction log. */
export type LogsQuery = NonNullable<operations["list_interactions"]["parameters"]["query"]>;

/** A file that an action created; the size is unknown in a list of messages. */
export type Artifact = Schemas["ArtifactMade"] & Partial<Schemas["Artifact"]>;

const LONGEST_TITLE = 80; // characters, as in the service's names of threads

const titleOf = (message: string): string =>
  message.length <= LONGEST_TITLE ? message : `${message.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;

const of = (id: string) => ({ params: { path: { id } } });
const keyed = (id: string, key: string) => ({ path: { id }, header: { "Idempotency-Key": key } });

export const api = {
  me: () => content(client.GET("/api/v1/me")),
  panes: () => content(client.GET("/api/v1/panes")),
  keys: () => content(client.GET("/api/v1/keys")),
  createKey: (body: Schemas["NewKey"]) => content(client.POST("/api/v1/keys", { body })),
  revokeKey: (key: string) => content(client.DELETE("/api/v1/keys/{id}", of(key))),
  audit: (filters: AuditQuery, cursor?: string) =>
    content(client.GET("/api/v1/audit", { params: { query: { ...filters, cursor: cursor ? Number(cursor) : null } } })),
  auditedContent: (number: number) =>
    content(client.GET("/api/v1/audit/{number}/content", { params: { path: { number } } })),
  collections: () => content(client.GET("/api/v1/records")),
  records: (collection: string, cursor?: string) =>
    content(
      client.GET("/api/v1/records/{collection}", { params: { path: { collection }, query: { latest: true, cursor } } }),
    ),
  agents: () => content(client.GET("/api/v1/agents")),
  agent: (name: string) => content(client.GET("/api/v1/agents/{name}", { params: { path: { name } } })),

  threads: (query: ThreadsQuery) => content(client.GET("/api/v1/threads", { params: { query } })),
  thread: (thread: string) => content(client.GET("/api/v1/threads/{id}", of(thread))),
  /** A new thread; `begins` is the first message to send, which is its title from the start. */
  createThread: (agent: string, begins: string | null, more: { model?: string; branch_of?: string } = {}) =>
    content(client.POST("/api/v1/threads", { body: { agent, title: titleOf(begins ?? ""), ...more } })),
  changeThread: (thread: string, body: Schemas["ThreadChange"]) =>
    content(client.PATCH("/api/v1/threads/{id}", { ...of(thread), body })),
  folders: () => content(client.GET("/api/v1/folders")),
  models: () => content(client.GET("/api/v1/models")),
  branches: (thread: string) => content(client.GET("/api/v1/threads/{id}/branches", of(thread))),
  deleteThreads: (threads: string[]) => content(client.POST("/api/v1/threads/delete", { body: { threads } })),
  giveFeedback: (thread: string, turn: number, body: Schemas["NewFeedback"]) =>
    content(client.PUT("/api/v1/threads/{id}/feedback/{turn}", { params: { path: { id: thread, turn } }, body })),
  takeFeedbackBack: (thread: string, turn: number) =>
    content(client.DELETE("/api/v1/threads/{id}/feedback/{turn}", { params: { path: { id: thread, turn } } })),
  deleteThread: (thread: string) => content(client.DELETE("/api/v1/threads/{id}", of(thread))),
  messages: (thread: string, before?: number, limit = 50) =>
    content(
      client.GET("/api/v1/threads/{id}/messages", { params: { path: { id: thread }, query: { before, limit } } }),
    ),
  state: (thread: string) => content(client.GET("/api/v1/threads/{id}/state", of(thread))) as Promise<ThreadState>,
  stateAt: (thread: string, at: number) =>
    content(client.GET("/api/v1/threads/{id}/state", { params: { path: { id: thread }, query: { at } } })) as Promise<
      Schemas["StateThen"]
    >,
  trace: (thread: string, query: { since?: number; limit?: number; turn?: number }) =>
    content(client.GET("/api/v1/threads/{id}/trace", { params: { path: { id: thread }, query } })),
  turns: (thread: string, before?: string) =>
    content(
      client.GET("/api/v1/threads/{id}/turns", {
        params: { path: { id: thread }, query: { before: before ? Number(before) : null } },
      }),
    ),
  flow: (thread: string) => content(client.GET("/api/v1/threads/{id}/flow", of(thread))),
  branch: (thread: string, at: number, answers?: JsonObject) =>
    content(
      client.POST("/api/v1/threads/{id}/branch", { ...of(thread), body: { at, ...(answers ? { answers } : {}) } }),
    ),
  artifacts: (thread: string) => content(client.GET("/api/v1/threads/{id}/artifacts", of(thread))),
  files: (thread: string) => content(client.GET("/api/v1/threads/{id}/files", of(thread))),
  /** The data sets with their first rows; the service sends at most 200 of these. */
  datasets: (thread: string, rows = 20) =>
    content(
      client.GET("/api/v1/threads/{id}/datasets", { params: { path: { id: thread }, query: { rows } } }),
    ) as Promise<Schemas["DataSets"]>,
  artifactAddress: (thread: string, artifact: string) =>
    address(`threads/${encodeURIComponent(thread)}/artifacts/${artifact.split("/").map(encodeURIComponent).join("/")}`),

  turn: (thread: string, message: string | null, files: string[], approves: string, key: string) =>
    content(
      client.POST("/api/v1/threads/{id}/turns", {
        params: keyed(thread, key),
        body: message === null ? {} : { message, files, approves },
      }),
    ) as Promise<Run>,
  resume: (thread: string, value: Json, approves: string, key: string) =>
    content(
      client.POST("/api/v1/threads/{id}/resume", { params: keyed(thread, key), body: { value, approves } }),
    ) as Promise<Run>,
  cancel: (run: string) => content(client.POST("/api/v1/runs/{id}/cancel", of(run))),

  upload: (file: File) => {
    const form = new FormData();
    form.append("file", file, file.name);
    return content(client.POST("/api/v1/files", { body: { file: file.name }, bodySerializer: () => form }));
  },
  deleteUpload: (upload: string) => content(client.DELETE("/api/v1/files/{id}", of(upload))),
  logsSummary: (query: LogsQuery) => content(client.GET("/api/v1/logs/summary", { params: { query } })),
  logs: (query: LogsQuery) => content(client.GET("/api/v1/logs", { params: { query } })),
};
