// The texts that new nodes begin with, in the languages that an agent can begin in.

export interface NewTexts {
  ask: string;
  confirm: string;
  end: string;
}

const TEXTS: Readonly<Record<string, NewTexts>> = {
  en: { ask: "What would you like to know?", confirm: "Is this right?", end: "Thank you." },
  de: { ask: "Was möchten Sie wissen?", confirm: "Ist das richtig?", end: "Vielen Dank." },
  fr: { ask: "Que souhaitez-vous savoir ?", confirm: "Est-ce correct ?", end: "Merci." },
  es: { ask: "¿Qué desea saber?", confirm: "¿Es correcto?", end: "Gracias." },
};

export const ENGLISH = TEXTS.en!;

/** The texts in a language of a flow, such as `de-AT`; in that of the app if it is empty, or has no texts. */
export const newTexts = (tag: string, app: string): NewTexts => TEXTS[tag.split("-")[0] ?? ""] ?? TEXTS[app] ?? ENGLISH;
