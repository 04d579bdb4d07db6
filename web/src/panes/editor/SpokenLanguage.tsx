// The choice of the language in which an agent speaks its own sentences.

import type { ReactNode } from "react";
import { useText } from "../../app/language";
import type { Flow } from "../../flow-canvas/flow";
import { Choice } from "./fields";
import { setSpoken, spokenIn } from "./model/spoken";
import { useSession } from "./useSession";
import { words } from "./words";

/** The languages of the engine's own sentences, each by its own name. */
const LANGUAGES: Record<string, string> = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

export function SpokenLanguage({ flow, disabled }: { flow: Flow; disabled: boolean }): ReactNode {
  const session = useSession();
  const say = useText(words);
  const tag = spokenIn(flow);
  return (
    <Choice
      label={say.spoken}
      hint={say.spokenWhat}
      placeholder={say.spokenDefault}
      value={LANGUAGES[tag] ?? tag}
      choices={Object.values(LANGUAGES)}
      disabled={disabled}
      onChange={(title) => {
        const chosen = Object.keys(LANGUAGES).find((each) => LANGUAGES[each] === title) ?? "";
        session.apply((text) => setSpoken(text, flow, chosen));
      }}
    />
  );
}
