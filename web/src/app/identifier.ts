// Names of files and agents, made of what a person writes.

const LETTERS: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue", ß: "ss" };

/** The text with letters without accents, digits, `-` and `_` only: `Tisch für zwei` is `Tisch_fuer_zwei`. */
export const identifierOf = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/[äöüÄÖÜß]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "");
