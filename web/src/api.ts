// The client of the service: its types, and one function for each request.

import { keptByTab } from "./app/storage";
import { frames } from "./sse";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Me {
  user: string;
  role: "viewer" | "user" | "admin";
  login: boolean;
}

export interface Agent {
  name: string;
  title: string;
  /** A description of the agent's tasks and limits by its flow; may be empty. */
  description: string;
  takes_files: boolean;
  flow_id: string;
  /** Codes of its requirements besides its own files. */
  /** Resources that packages declare may have other names. */
  needs: string[];
  model: string;
  ready: boolean;
  /** Why it is not ready. */
  problems: { code: string; message: string; hint: string; facts: JsonObject }[];
  /** How many of the unseen cases the model in use has right; null if it was not measured. */
  score: { right: number; cases: number } | null;
}

/** The nodes of an agent's flow; `label` is empty if the flow has none. */
export interface AgentFlow {
  flow_nodes: { id: string; kind: string; label: string }[];
}

export type Status = "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";

export interface Option {
  value: Json;
  title: string;
}

/** The origin of a value to approve: the user's words, text shown before, an existing thing, or none. */
export type Support = "said" | "default" | "shown" | "exists" | "unsupported";

export interface Approval {
  hash: string;
  node: string;
  /** The kind of effect of a yes. */
  kind: "graph" | "experiment" | "tools" | "other";
  /** The actions that a yes allows to run. */
  actions: string[];
  /** The channels that the yes confirms, with their values. */
  over: JsonObject;
  marks: Record<string, Support>;
  /** Markdown of the agent's package, shown in place of the prompt. */
  text?: string;
}

export interface WaitingFor {
  node: string;
  key: string;
  prompt: string;
  kind: "question" | "confirm" | "choice" | "message";
  options: Option[];
  /** The schema of the requested value; in the state only, like the approval. */
  schema?: JsonObject;
  approval?: Approval;
}

/** A source of an answer; `label` is its name in the list below the answer, `text` the passage. */
export interface Source {
  id: string;
  kind: string;
  title: string;
  url: string;
  text: string;
  label: string;
  metadata: Record<string, string>;
}

export interface Thread {
  thread: string;
  agent: string;
  title: string;
  status: Status;
  turns: number;
  created: string;
  updated: string;
  waiting_for: WaitingFor | null;
}

export interface Artifact {
  id: string;
  name: string;
  kind: string;
  /** Null for a deleted one, missing if unknown. */
  bytes?: number | null;
  turn?: number;
}

export interface Message {
  seq: number;
  role: string;
  text: string;
  time: string;
  /** 0 for the messages at the start of a branch. */
  turn: number;
  artifacts?: Artifact[];
}

export interface ThreadState {
  thread: string;
  agent: string;
  status: Status;
  waiting_for: WaitingFor | null;
  position: Json;
  values: JsonObject;
  run?: Run | null;
}

export interface Run {
  id: string;
  thread: string;
  status: "running" | "waiting" | "ended" | "failed" | "cancelled";
  /** Why it failed, if it did not end by itself. */
  problem?: JsonObject;
  /** The message of a run that was cancelled before it stored anything. */
  unread?: string;
  /** The result of the run; `unread` is its message if an earlier turn was finished first. */
  turn?: { unread?: string };
}

/** An event of the trace; docs/events.md describes the fields of each type. */
export interface RunEvent extends JsonObject {
  type: string;
}

export interface TraceRow {
  seq: number;
  visit: number;
  time: string;
  event: RunEvent;
  /** The cost of a model call, if the model has a price. */
  cost?: number;
}

export interface TurnRow {
  turn: number;
  seq: number;
  time: string;
  message: string | null;
  failed: boolean;
  calls: number;
  tokens: number;
  seconds: number;
  /** Null if a model that answered has no price. */
  cost: number | null;
}

/** Amounts of money are in this currency, such as USD. */
export interface Priced {
  currency: string;
}

export interface Upload {
  id: string;
  name: string;
  bytes: number;
  kind: string;
  sha256: string;
}

/** A turn in the interaction log; docs/observability.md describes the fields. */
export interface Interaction {
  id: string;
  session: string;
  agent: string;
  number: number;
  type: string;
  question: string;
  code: string;
  result: string;
  reply: string;
  success: boolean;
  error: string;
  metadata: JsonObject;
  started: string;
  seconds: number;
  model_calls: number;
  tokens: number;
  /** The user can open the conversation. */
  yours: boolean;
}

export interface ExperimentRow {
  id: string;
  name: string;
  context: string;
  state: string;
}

export interface Members {
  users: string[];
  groups: { type: string; id: string }[];
}

/** The chi-square test of a split against its weights. */
export interface Split {
  /** Whether a fair draw may have this result; null if no one was counted. */
  fair: boolean | null;
  /** Null if someone has a condition of weight 0. */
  chi_square: number | null;
  /** Degrees of freedom: the number of possible conditions minus one. */
  degrees: number;
  p_value: number | null;
  /** Enough units were counted for the test to be meaningful. */
  enough: boolean;
}

export interface Experiment {
  experiment_id: string;
  name: string;
  description: string;
  context: string;
  state: string;
  unit: string;
  group: string;
  consistency: string;
  post_rule: string;
  /** The condition that everyone gets after the end; null for the default. */
  revert_to: string | null;
  filter_mode: string;
  tags: string[];
  conditions: { code: string; weight: number }[];
  decision_points: { site: string; target: string; exclude_if_reached: boolean }[];
  goal: { users: number | null; groups: number | null } | null;
  members: Record<"include" | "exclude", Members>;
  /** Missing before it begins to enrol. If the units are groups, they are counted too. */
  enrollment?: {
    users: number;
    excluded_users: number;
    groups?: number;
    excluded_groups?: number;
    conditions: { code: string; weight: number; users: number; groups: number }[];
    split?: Split;
  };
}

export interface GraphNode {
  label: string;
  key: string;
  properties: JsonObject;
}

export interface GraphEdge {
  from_label: string;
  from_key: string;
  type: string;
  to_label: string;
  to_key: string;
  properties: JsonObject;
}

export interface GraphPart {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** There was more than requested. */
  truncated: boolean;
}

export interface GraphChange {
  kind: "created" | "updated" | "deleted";
  before: GraphNode | GraphEdge | null;
  after: GraphNode | GraphEdge | null;
}

/** An entry of the graph's journal; text and thread are empty for entries of other users. */
export interface Goal {
  goal: string;
  text: string;
  thread: string;
  status: string;
  began: string;
  finished: string | null;
  undoes: string | null;
  undone_by: string | null;
  /** It changed something, and the user may undo it. */
  undoable: boolean;
  changes: Record<"created" | "updated" | "deleted", number>;
}

export interface GoalSteps extends Goal {
  steps: { version: number; time: string; changes: GraphChange[] }[];
}

export interface DataColumn {
  name: string;
  type: string;
  missing: number;
  distinct: number | null;
  low: Json;
  high: Json;
  mean: number | null;
  median: number | null;
  /** The most frequent values with their counts. */
  top: [Json, number][];
}

/** A note on how a file was read. */
export interface DataNote {
  code: string;
  /** In English. */
  text: string;
  /** Numbers and names in it. */
  facts: JsonObject;
}

export interface DataSet {
  id: string;
  name: string;
  file: string;
  rows: number;
  notes: DataNote[];
  columns: DataColumn[];
  head: JsonObject[];
}

/** A file that is not a data set, and the reason. */
export interface NoDataSet {
  file: string;
  problem: { code: string; detail: string; hint: string };
}

/** An API key, without its secret. Times that do not apply are empty. */
export interface ApiKey {
  id: string;
  user: string;
  role: Me["role"];
  name: string;
  created: string;
  expires: string;
  last_used: string;
  revoked: string;
}

/** A decision about an action that needs a yes, or its outcome; docs/access.md describes the fields. */
export interface AuditEntry {
  number: number;
  time: string;
  user: string;
  event: "approved" | "rejected" | "changed" | "performed" | "failed" | "unknown" | "key_made" | "key_revoked";
  agent: string;
  thread: string;
  node: string;
  action: string;
  door: string;
  /** The hash of the confirmed content; or the id of a created or revoked key. */
  content: string;
  /** The user can open the conversation. */
  yours: boolean;
}

/** An error. `status` is 0 if the service did not answer; `app/problems.ts` has the texts for people. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string = "",
    readonly hint: string = "",
    /** Seconds until a retry is useful, if the service sent them. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }
}

const ROOT = new URL("api/v1/", document.baseURI).href;
const KEY = "graphwright.key";

/** The API key of this tab's user; kept for the session only, if the service requires a login. */
export const apiKey = {
  get: () => keptByTab.get(KEY) ?? "",
  set: (key: string) => keptByTab.set(KEY, key || null),
};

export type Query = Record<string, string | number | boolean | null | undefined>;

interface Options {
  method?: string;
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function address(path: string, query: Query = {}): string {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, String(value));
  return url.href;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  try {
    const body = JSON.parse(text) as Record<string, string>;
    const detail = body.detail || body.title || response.statusText;
    return new Problem(response.status, body.code ?? "", detail, body.hint, retryAfter);
  } catch {
    // Not from the service itself, but from a proxy.
    return new Problem(response.status, "", `${response.status} ${response.statusText}`, "", retryAfter);
  }
}

let whenRefused: ((problem: Problem) => Promise<void>) | null = null;

/** Sets the function that asks for another key if one is refused. Requests with the old key wait, and then continue. */
export function onRefusedKey(ask: typeof whenRefused): void {
  whenRefused = ask;
}

/** A successful response of the service. Raises Problem. */
export async function request(path: string, options: Options = {}): Promise<Response> {
  for (;;) {
    const key = apiKey.get();
    const response = await asked(path, options, key);
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (problem.status !== 401 || !whenRefused) throw problem;
    // The key may have been replaced in the meantime.
    if (apiKey.get() === key) await whenRefused(problem);
  }
}

async function asked(path: string, options: Options, key: string): Promise<Response> {
  const { method = "GET", query, body, headers = {}, signal } = options;
  const form = body instanceof FormData;
  try {
    return await fetch(address(path, query), {
      method,
      signal,
      headers: {
        Accept: "application/json",
        ...(body === undefined || form ? {} : { "Content-Type": "application/json" }),
        ...(key ? { Authorization: `Bearer ${key}` } : {}),
        ...headers,
      },
      body: body === undefined ? undefined : form ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "no_answer");
  }
}

/** Signs in with a key, which is stored if it is valid. Raises Problem. */
export async function signIn(key: string): Promise<Me> {
  const response = await asked("me", {}, key);
  if (!response.ok) throw await problemOf(response);
  apiKey.set(key);
  return response.json() as Promise<Me>;
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await request(path, { query, signal })).json() as Promise<T>;
}

export async function send<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await request(path, { method, body, headers });
  return (response.status === 204 ? null : await response.json()) as T;
}

const id = encodeURIComponent;

const LONGEST_TITLE = 80; // characters, as in the service's names of threads

export const api = {
  me: () => get<Me>("me"),
  keys: () => get<Page<ApiKey>>("keys"),
  createKey: (key: { user: string; role: Me["role"]; name: string; days: number | null }) =>
    send<ApiKey & { key: string }>("POST", "keys", key),
  revokeKey: (key: string) => send<null>("DELETE", `keys/${id(key)}`),
  audit: (cursor?: string) => get<Page<AuditEntry>>("audit", { cursor }),
  agents: () => get<Page<Agent>>("agents"),
  agent: (name: string) => get<Agent & AgentFlow>(`agents/${id(name)}`),

  threads: (query: { agent?: string; status?: Status; q?: string; cursor?: string; limit?: number }) =>
    get<Page<Thread>>("threads", query),
  thread: (thread: string) => get<Thread>(`threads/${id(thread)}`),
  /** A new thread; `begins` is the first message to send, which is its title from the start. */
  createThread: (agent: string, begins: string | null) =>
    send<Thread>("POST", "threads", { agent, title: begins?.slice(0, LONGEST_TITLE) ?? "" }),
  renameThread: (thread: string, title: string) => send<Thread>("PATCH", `threads/${id(thread)}`, { title }),
  deleteThread: (thread: string) => send<null>("DELETE", `threads/${id(thread)}`),
  messages: (thread: string, before?: number, limit = 50) =>
    get<Page<Message>>(`threads/${id(thread)}/messages`, { before, limit }),
  state: (thread: string, at?: number) => get<ThreadState>(`threads/${id(thread)}/state`, { at }),
  trace: (thread: string, query: { since?: number; limit?: number; turn?: number; cursor?: string }) =>
    get<Page<TraceRow> & Priced>(`threads/${id(thread)}/trace`, query),
  turns: (thread: string, before?: string) => get<Page<TurnRow> & Priced>(`threads/${id(thread)}/turns`, { before }),
  branch: (thread: string, at: number, answers?: JsonObject) =>
    send<{ thread: string }>("POST", `threads/${id(thread)}/branch`, { at, ...(answers ? { answers } : {}) }),
  artifacts: (thread: string) => get<Page<Artifact>>(`threads/${id(thread)}/artifacts`),
  datasets: (thread: string) => get<Page<DataSet | NoDataSet>>(`threads/${id(thread)}/datasets`),
  artifactAddress: (thread: string, artifact: string) =>
    address(`threads/${id(thread)}/artifacts/${artifact.split("/").map(id).join("/")}`),

  turn: (thread: string, message: string | null, files: string[], approves: string, key: string) =>
    send<Run>("POST", `threads/${id(thread)}/turns`, message === null ? {} : { message, files, approves }, {
      "Idempotency-Key": key,
    }),
  resume: (thread: string, value: Json, approves: string, key: string) =>
    send<Run>(
      "POST",
      `threads/${id(thread)}/resume`,
      { value, approves },
      {
        "Idempotency-Key": key,
      },
    ),
  cancel: (run: string) => send<Run>("POST", `runs/${id(run)}/cancel`),

  upload: (file: File) => {
    const form = new FormData();
    form.append("file", file, file.name);
    return send<Upload>("POST", "files", form);
  },
  logs: (query: Query) => get<Page<Interaction>>("logs", query),

  experiments: (limit = 200) =>
    get<Page<ExperimentRow> & { total: number; server: string; local: boolean }>("experiments", { limit }),
  experiment: (experiment: string) => get<Experiment>(`experiments/${id(experiment)}`),

  graph: (query: { q?: string; label?: string; limit?: number }) =>
    get<GraphPart & { labels: { label: string; count: number }[] }>("graph", query),
  graphNode: (label: string, key: string, limit = 40) =>
    get<GraphPart & { node: GraphNode }>(`graph/nodes/${id(label)}`, { node: key, limit }),
  journal: (cursor?: string) => get<Page<Goal>>("graph/journal", { cursor }),
  goal: (goal: string) => get<GoalSteps>(`graph/journal/${id(goal)}`),
  previewUndo: (goal: string) =>
    send<{ changes: GraphChange[]; hash: string }>("POST", `graph/journal/${id(goal)}/undo`, { preview: true }),
  undo: (goal: string, approves: string) =>
    send<GoalSteps>("POST", `graph/journal/${id(goal)}/undo`, { preview: false, approves }),

  deleteUpload: (upload: string) => send<null>("DELETE", `files/${id(upload)}`),
};

/** Downloads a file of the service with the key. */
export async function download(url: string, name: string): Promise<void> {
  const blob = await (await request(url)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export interface RunFrame {
  id: number;
  event: RunEvent;
}

const LAST = new Set(["turn_ended", "run_failed", "run_cancelled"]);
const PAUSES = [250, 500, 1000, 2000, 4000]; // ms before each attempt to reconnect
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/**
 * The events of a run, from the first. After a connection loss, it reconnects after the last received event, as often
 * as necessary: the run continues without us. `onLost` is called when the connection is lost and when it is restored.
 */
export async function* follow(
  run: string,
  signal: AbortSignal,
  onLost: (lost: boolean) => void = () => undefined,
): AsyncGenerator<RunFrame> {
  let last = 0;
  for (let tries = 0; !signal.aborted;) {
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last > 0) headers["Last-Event-ID"] = String(last);
      const response = await request(`runs/${id(run)}/events`, { signal, headers });
      onLost(false);
      for await (const frame of frames(response)) {
        tries = 0;
        last = Number(frame.id) || last;
        const event = { ...(JSON.parse(frame.data) as JsonObject), type: frame.event } satisfies RunEvent;
        yield { id: last, event };
        if (LAST.has(frame.event)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const lost = !(error instanceof Problem) || error.status === 0 || error.status >= 500;
      const later = error instanceof Problem && error.status === 429;
      if (!lost && !later) throw error;
      if (later) await pause(1000 * (error.retryAfter ?? 5), signal);
    }
    onLost(true);
    await pause(PAUSES[Math.min(tries++, PAUSES.length - 1)] ?? 0, signal);
  }
}
