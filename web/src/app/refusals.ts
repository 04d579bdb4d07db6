// Why a value was not accepted as an answer. Other reasons are part of the conversation, in its language.

import { spoken, texts } from "./language";

const words = texts({
  quotation: [
    "the message does not contain the words that the model quotes",
    "die Nachricht enthält die Worte nicht, die das Modell zitiert",
  ],
  consent: ["only a yes on the list counts as consent", "als Zustimmung zählt nur ein Ja von der Liste"],
  approval: ["the yes does not say what it approves", "das Ja sagt nicht, was es freigibt"],
});

export function refusalText(stage: string, reason: string): string {
  const all: Record<string, string> = spoken(words);
  return Object.hasOwn(all, stage) ? (all[stage] ?? reason) : reason;
}
