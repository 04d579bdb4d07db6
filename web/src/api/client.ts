// Requests to the service: its address, the key of the user, and errors. The types are those of its OpenAPI document.

import createClient from "openapi-fetch";
import { keptByTab } from "../app/storage";
import { createStore } from "../app/store";
import type { components, paths } from "./schema";

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

/** Whether the service did not answer: it is away, or the connection to it. */
export const isUnanswered = (error: unknown): boolean => error instanceof Problem && error.code === "no_answer";

/** Whether the last request was answered. */
export const isConnected = createStore(true);

const HERE = new URL(".", document.baseURI).href;
const ROOT = new URL("api/v1/", HERE).href;
const KEY = "graphwright.key";

/** The API key of this tab's user; kept for the session only, if the service requires a login. */
export const apiKey = {
  get: () => keptByTab.get(KEY) ?? "",
  set: (key: string) => keptByTab.set(KEY, key || null),
};

export type Query = Record<string, string | number | boolean | null | undefined>;

const isGiven = (value: unknown): boolean => value !== null && value !== undefined && value !== "";

/** The address of a route below /api/v1. */
export function address(path: string, query: Query = {}): string {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query)) if (isGiven(value)) url.searchParams.set(name, String(value));
  return url.href;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  try {
    const body = JSON.parse(text) as Partial<components["schemas"]["Problem"]>;
    const detail = body.detail || body.title || response.statusText;
    return new Problem(response.status, body.code ?? "", detail, body.hint, retryAfter);
  } catch {
    // Not from the service itself, but from a proxy, which may not reach it.
    const code = [502, 503, 504].includes(response.status) ? "no_answer" : "";
    return new Problem(response.status, code, `${response.status} ${response.statusText}`, "", retryAfter);
  }
}

let whenRefused: ((problem: Problem) => Promise<void>) | null = null;

/** Sets the function that asks for another key if one is refused. Requests with the old key wait, and then continue. */
export function onRefusedKey(ask: typeof whenRefused): void {
  whenRefused = ask;
}

/** Sends a request with a key; `body` is its body if that is text. The request itself can be sent again. */
async function asked(request: Request, key: string, body?: string): Promise<Response> {
  const { url, method, signal } = request;
  const headers = new Headers(request.headers);
  if (key) headers.set("Authorization", `Bearer ${key}`);
  try {
    return await (body === undefined
      ? fetch(new Request(request.clone(), { headers }))
      : fetch(url, { method, headers, body, signal }));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    isConnected.set(false);
    throw new Problem(0, "no_answer");
  }
}

/** The successful response to a request, sent with the key of the user. Raises Problem. */
async function answered(request: Request): Promise<Response> {
  // A copy of a request sends its body as a stream, which tools for developers do not show.
  const body = request.headers.get("Content-Type") === "application/json" ? await request.text() : undefined;
  for (;;) {
    const key = apiKey.get();
    const response = await asked(request, key, body);
    const problem = response.ok ? null : await problemOf(response);
    isConnected.set(!isUnanswered(problem));
    if (problem === null) return response;
    if (problem.status !== 401 || !whenRefused) throw problem;
    // The key may have been replaced in the meantime.
    if (apiKey.get() === key) await whenRefused(problem);
  }
}

/** A successful response of a route below /api/v1, or of an address. Raises Problem. */
export const request = (path: string, options: RequestInit = {}): Promise<Response> =>
  answered(new Request(address(path), { ...options, headers: { Accept: "application/json", ...options.headers } }));

/** Typed requests by method and path. They raise Problem. */
export const client = createClient<paths>({
  baseUrl: HERE,
  fetch: answered,
  headers: { Accept: "application/json" },
  querySerializer: (query: Record<string, unknown>) =>
    String(
      new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) =>
          (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isGiven).map((each) => [name, String(each)]),
        ),
      ),
    ),
});

/** The content of a response. */
export const content = async <T>(response: Promise<{ data?: T }>): Promise<T> => (await response).data as T;

/** Signs in with a key, which is stored if it is valid. Raises Problem. */
export async function signIn(key: string): Promise<components["schemas"]["Me"]> {
  const response = await asked(new Request(address("me"), { headers: { Accept: "application/json" } }), key);
  if (!response.ok) throw await problemOf(response);
  apiKey.set(key);
  return response.json() as Promise<components["schemas"]["Me"]>;
}

/** Downloads a file of the service with the key. */
export async function download(url: string, name: string): Promise<void> {
  const blob = await (await request(url)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
