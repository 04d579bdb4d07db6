// The texts that new nodes begin with, in the languages that an agent can begin in.

export interface NewTexts {
  ask: string;
  confirm: string;
  /** The titles of a confirmation and of a record, where their ids are no words of the language. */
  titles: { confirm: string; record: string } | null;
  end: string;
  /** The end after a no. */
  left: string;
}

const TEXTS: Readonly<Record<string, NewTexts>> = {
  en: {
    ask: "What would you like to know?",
    confirm: "Is this right?",
    titles: null,
    end: "Thank you.",
    left: "All right, nothing was done.",
  },
  de: {
    ask: "Was möchten Sie wissen?",
    confirm: "Ist das richtig?",
    titles: { confirm: "Bestätigung", record: "Eintrag" },
    end: "Vielen Dank.",
    left: "In Ordnung, es wurde nichts unternommen.",
  },
  fr: {
    ask: "Que souhaitez-vous savoir ?",
    confirm: "Est-ce correct ?",
    titles: { confirm: "Confirmation", record: "Enregistrement" },
    end: "Merci.",
    left: "D'accord, rien n'a été fait.",
  },
  es: {
    ask: "¿Qué desea saber?",
    confirm: "¿Es correcto?",
    titles: { confirm: "Confirmación", record: "Registro" },
    end: "Gracias.",
    left: "De acuerdo, no se ha hecho nada.",
  },
};

export const ENGLISH = TEXTS.en!;

/** The texts in a language of a flow, such as `de-AT`; in that of the app if it is empty, or has no texts. */
export const newTexts = (tag: string, app: string): NewTexts => TEXTS[tag.split("-")[0] ?? ""] ?? TEXTS[app] ?? ENGLISH;
