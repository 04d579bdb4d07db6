// The service as the app sees it: its types, and one function for each thing that is asked of it.

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
  /** What it does and what it does not, as its flow says; empty where that says nothing. */
  description: string;
  takes_files: boolean;
  flow_id: string;
  /** Codes of what it needs beside its own files. */
  needs: ("model" | "graph" | "sandbox" | "mcp")[];
  model: string;
  ready: boolean;
  /** Why it is not ready. */
  problems: { code: string; message: string; hint: string; facts: JsonObject }[];
  /** How many of the cases that nobody had seen the model in use has right; null where nobody looked. */
  score: { right: number; cases: number } | null;
}

/** The nodes of an agent's flow; `label` is empty where the flow gives them none. */
export interface AgentFlow {
  flow_nodes: { id: string; kind: string; label: string }[];
}

export type Status = "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";

export interface Option {
  value: Json;
  title: string;
}

/** Where a value of what is to be approved comes from: the user's words, what was shown, what exists, or nothing. */
export type Support = "said" | "default" | "shown" | "exists" | "unsupported";

export interface Approval {
  hash: string;
  node: string;
  /** What is done by a yes. */
  kind: "graph" | "experiment" | "tools" | "other";
  /** The actions that a yes lets run. */
  actions: string[];
  /** The channels that the yes is about, with their values. */
  over: JsonObject;
  marks: Record<string, Support>;
}

export interface WaitingFor {
  node: string;
  key: string;
  prompt: string;
  kind: "question" | "confirm" | "choice" | "message";
  options: Option[];
  /** Of the value that is asked for; in the state only, as is the approval. */
  schema?: JsonObject;
  approval?: Approval;
}

/** What an answer rests on; `label` is what the list below the answer calls it, `text` the passage. */
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
  /** Null for one that is gone, missing where it was not looked at. */
  bytes?: number | null;
  turn?: number;
}

export interface Message {
  seq: number;
  role: string;
  text: string;
  time: string;
  /** 0 for what a branch said as it began. */
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
  /** Why it failed, where it never came to an end of its own. */
  problem?: JsonObject;
  /** The message of one that was cancelled before it left anything. */
  unread?: string;
  /** What came of it; `unread` is its message where an earlier turn was finished first. */
  turn?: { unread?: string };
}

/** An event of the trace; docs/events.md names the fields of each type. */
export interface RunEvent extends JsonObject {
  type: string;
}

export interface TraceRow {
  seq: number;
  visit: number;
  time: string;
  event: RunEvent;
  /** What a call of a model cost, where its model has a price. */
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
  /** Null where a model that answered has no price. */
  cost: number | null;
}

/** Amounts of money in it are in this currency, such as USD. */
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

/** A turn in the interaction log; docs/observability.md says what each field is. */
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
  /** The conversation is there for the user to open. */
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
  /** Whether a fair draw may well have come out like this; null where nobody was counted. */
  fair: boolean | null;
  /** Null where somebody has a condition of weight 0. */
  chi_square: number | null;
  /** Of freedom: one less than there are conditions to get. */
  degrees: number;
  p_value: number | null;
  /** Enough were counted for the test to say much. */
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
  /** The condition that everybody gets when it has ended; null for the default. */
  revert_to: string | null;
  filter_mode: string;
  tags: string[];
  conditions: { code: string; weight: number }[];
  decision_points: { site: string; target: string; exclude_if_reached: boolean }[];
  goal: { users: number | null; groups: number | null } | null;
  members: Record<"include" | "exclude", Members>;
  /** Missing before it has begun to enrol. With groups as units these are counted too. */
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
  /** There was more than was asked for. */
  truncated: boolean;
}

export interface GraphChange {
  kind: "created" | "updated" | "deleted";
  before: GraphNode | GraphEdge | null;
  after: GraphNode | GraphEdge | null;
}

/** An entry of the graph's journal; text and thread are empty where they are somebody else's. */
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

/** What there is to know about how a file was read. */
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

/** A file that is no data set, and why. */
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

/** What somebody decided about an action that needs a yes, or what became of it; docs/access.md has the fields. */
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
  /** The hash of exactly what it was about; the id of a key that was made or revoked. */
  content: string;
  /** The conversation is there for the user to open. */
  yours: boolean;
}

/** What went wrong. `status` is 0 where the service did not answer at all; `app/problems.ts` has the words for people. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string = "",
    readonly hint: string = "",
    /** Seconds after which it is worth trying again, where the service said so. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }
}

const ROOT = new URL("api/v1/", document.baseURI).href;
const KEY = "graphwright.key";

/** The API key of this tab's user; kept for the session only, where the service wants a login. */
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
    // Not the service itself: a proxy before it.
    return new Problem(response.status, "", `${response.status} ${response.statusText}`, "", retryAfter);
  }
}

let whenRefused: ((problem: Problem) => Promise<void>) | null = null;

/** Who asks for another key where one does not hold any more. What was asked with the old one waits, and goes on then. */
export function onRefusedKey(ask: typeof whenRefused): void {
  whenRefused = ask;
}

/** A response of the service, which is not an error. Raises Problem. */
export async function request(path: string, options: Options = {}): Promise<Response> {
  for (;;) {
    const key = apiKey.get();
    const response = await asked(path, options, key);
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (problem.status !== 401 || !whenRefused) throw problem;
    // Something else may have been given another key meanwhile.
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

/** Signs in with a key, which is kept if it holds. Raises Problem. */
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

const LONGEST_TITLE = 80; // signs, as the service itself names threads

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
  /** A new thread; `begins` is what is going to be said first, which names it from the first moment on. */
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

/** A file of the service, fetched with the key, for the user to keep. */
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
const PAUSES = [250, 500, 1000, 2000, 4000]; // ms before each try to come back
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/**
 * The events of a run, from its first on. A connection that breaks is taken up after the last event that came, for as long
 * as it takes: the run goes on without us. `onLost` is told when it breaks and when it is there again.
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
