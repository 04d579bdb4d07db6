// The texts of the app for a problem, by its code, in both languages. The service describes problems in English only.
// Its text is shown below if it has more information: the file, the limit, the server.

import type { JsonObject } from "../../api";
import { language, spoken, texts } from "../language";
import { fileProblems } from "./files";
import { partProblems } from "./parts";
import { requestProblems } from "./requests";

/**
 * The texts by code, those of docs/service.md first. A function gets the facts of the problem, and the `seconds` until
 * a retry is useful; it returns an empty text if a fact is missing. Without a text, that of the service is shown.
 */
export const problemWords = {
  en: { ...requestProblems.en, ...fileProblems.en, ...partProblems.en },
  de: { ...requestProblems.de, ...fileProblems.de, ...partProblems.de },
};

/** The codes for which the service's text has more information than the code: a number, a name, a place. */
const MORE = new Set(
  `empty_file not_a_table damaged_file several_files too_large conflict bad_request answer_refused large_upload
   large_request quota unknown_agent foreign_host bad_thread long_message too_many_files graph_unavailable
   unreachable timed_out model_unreachable model_not_authorised model_quota model_server_error
   prompt_too_long model_unavailable bad_model_name bad_graph_url flow_invalid
   bad_python agent_import bad_settings connection_lost damaged_graph`.split(/\s+/),
);

const words = texts({
  refused: ["That is not possible like this.", "So geht das nicht."],
  broken: ["The service could not do that.", "Das konnte der Dienst nicht tun."],
  app: ["Something went wrong in the app itself.", "In der App selbst ging etwas schief."],
});

/** A problem of the service: of a refused request, or of a failed turn. */
export interface Told {
  code: string;
  detail: string;
  hint: string;
  /** Numbers and names in it. */
  facts?: JsonObject;
  /** The HTTP status, if there is one. */
  status?: number;
  retryAfter?: number | null;
}

/** The text of the app for a problem: what is wrong and what to do, and the additional text of the service. */
export function wordsOf(problem: Told): { text: string; more: string } {
  const all: Readonly<Record<string, string | ((facts: JsonObject) => string)>> = problemWords[language.get()];
  const phrase = Object.hasOwn(all, problem.code) ? all[problem.code] : undefined;
  const facts = { ...problem.facts, seconds: problem.retryAfter ?? 60 };
  const known = typeof phrase === "function" ? phrase(facts) : phrase;
  const more = [problem.detail, problem.hint].filter(Boolean).join(" ");
  if (known) return { text: known, more: MORE.has(problem.code) ? more : "" };
  if (language.get() === "en" && problem.detail) return { text: problem.detail, more: problem.hint };
  const say = spoken(words);
  return { text: problem.status !== undefined && problem.status < 500 ? say.refused : say.broken, more };
}

/** The text of the app for a problem, without anything that only the operator or author of an agent understands. */
export function plainWordsOf(problem: Told): string {
  const known = wordsOf({ ...problem, detail: "", hint: "", status: 500 }).text;
  return known === spoken(words).broken || problem.code === "internal" ? "" : known;
}

/** The same for any thrown value. */
export function wordsOfError(error: unknown): { text: string; more: string } {
  if (isProblem(error)) return wordsOf(error);
  return { text: error instanceof Error ? error.message : spoken(words).app, more: "" };
}

const isProblem = (error: unknown): error is Error & Told =>
  error instanceof Error && "code" in error && "detail" in error && "hint" in error;
