// German headlines for the findings of the compiler, whose messages are English. They are loaded only in German.

import { useCallback } from "react";
import { language } from "../../app/language";
import { useResource } from "../../app/resource";
import { useStore } from "../../app/store";
import type { Finding } from "./api";
import { named } from "./model/named";

const load = async (): Promise<Readonly<Record<string, string>>> => (await import("./diagnostics.de.json")).default;

type Said = Pick<Finding, "code" | "message">;

/**
 * A finding as a German sentence, with the names in its message other than that of its place; empty in English, where
 * the message is enough.
 */
export type Headline = (finding: Said, place?: string) => string;

export function useHeadline(): Headline {
  const german = useResource(useStore(language) === "de" ? "diagnostics.de" : null, load).data;
  return useCallback(({ code, message }, place) => named(german?.[code] ?? "", message, place), [german]);
}

/** All texts of a finding, the headline first. */
export const textsOf = (finding: Said & Pick<Finding, "hint">, headline: Headline) =>
  [headline(finding), finding.message, finding.hint].filter(Boolean);

/** Findings whose message is their headline, where there is room for one sentence. */
export const inShort = (found: readonly Finding[], headline: Headline): Finding[] =>
  found.map((each) => ({ ...each, message: headline(each) || each.message }));
