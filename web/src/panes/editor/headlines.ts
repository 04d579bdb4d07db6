// German headlines for the findings of the compiler, whose messages are English. They are loaded only in German.

import { useCallback } from "react";
import { language } from "../../app/language";
import { useResource } from "../../app/resource";
import { useStore } from "../../app/store";
import type { Finding } from "./api";

const load = async (): Promise<Readonly<Record<string, string>>> => (await import("./diagnostics.de.json")).default;

/** What kind of problem a code is, as a German sentence; empty in English, where the message is enough. */
export type Headline = (code: string) => string;

export function useHeadline(): Headline {
  const german = useResource(useStore(language) === "de" ? "diagnostics.de" : null, load).data;
  return useCallback((code) => german?.[code] ?? "", [german]);
}

/** All texts of a finding, the headline first. */
export const textsOf = ({ code, message, hint }: Pick<Finding, "code" | "message" | "hint">, headline: Headline) =>
  [headline(code), message, hint].filter(Boolean);

/** Findings whose message is their headline, where there is room for one sentence. */
export const inShort = (found: readonly Finding[], headline: Headline): Finding[] =>
  found.map((each) => ({ ...each, message: headline(each.code) || each.message }));
