// How a file was read: the notes on it (English from the service, German by their codes), and the types of columns.

import type { DataNote, Json, JsonObject } from "../../api";
import { language, numberText, spoken, texts } from "../../app/language";
import { isObject } from "../../values";

const number = (fact: Json | undefined): string => (typeof fact === "number" ? numberText(fact) : "");
const text = (fact: Json | undefined): string => (typeof fact === "string" ? fact : "");
const columns = ({ columns: first, more }: JsonObject): string =>
  [...(Array.isArray(first) ? first.map((each) => `„${text(each)}“`) : []), ...(more ? ["…"] : [])].join(", ");

const counted = (missing: Json | undefined): string =>
  isObject(missing)
    ? Object.keys(missing)
        .map((each) => `„${each}“`)
        .join(", ")
    : "";

/** A function gets the facts of the note. */
const inGerman: Readonly<Record<string, string | ((facts: JsonObject) => string)>> = {
  unpacked: ({ kind }) => `Die Datei wurde entpackt (${text(kind)}).`,
  first_tables: ({ tables }) => `Nur die ersten ${number(tables)} Tabellen der Datei wurden gelesen.`,
  merged_cells: "Zellen darin sind verbunden: Jede hat den Wert.",
  hidden_sheet: "Das Blatt ist in der Arbeitsmappe ausgeblendet.",
  views_left_out: ({ count }) => `Sichten und virtuelle Tabellen der Datenbank wurden ausgelassen (${number(count)}).`,
  one_list: ({ list }) => `Gelesen wurde nur die Liste „${text(list)}“ des Dokuments.`,
  no_header: "Es gibt keine Kopfzeile: Die Spalten heißen nach ihrer Stelle, die erste „column_1“.",
  begins_below: ({ above }) => `Über der Tabelle steht: „${text(above)}“.`,
  passed_over: ({ line }) => `Die Tabelle beginnt unter Zeile ${number(line)}: Was darüber steht, wurde übergangen.`,
  short_rows: "Manche Zeilen sind kürzer als andere: Was ihnen fehlt, wurde als fehlender Wert gelesen.",
  null_words: ({ missing }) => `Als fehlend gelesen: ${counted(missing)}.`,
  decimal_commas: (facts) => `Kommas wurden als Dezimalkommas gelesen: in ${columns(facts)}.`,
  unclear_dates: (facts) =>
    `In ${columns(facts)} stehen Daten, bei denen nichts den Tag vom Monat unterscheidet: Die Spalte blieb Text.`,
  thousands: ({ read, ...facts }) =>
    `${columns(facts)}: Zahlen wie 1,234 wurden als ${read === "1234" ? "ganze Zahlen (1234)" : "Dezimalzahlen"} gelesen.`,
  renamed_columns: (facts) => `Spalten ohne Namen oder mit dem Namen einer anderen heißen ${columns(facts)}.`,
  columns_left_out: ({ there, read }) => `Es gibt ${number(there)} Spalten; die ersten ${number(read)} wurden gelesen.`,
  no_rows: "Es gibt eine Kopfzeile, aber keine Zeile mit Daten darunter.",
  total_row: (facts) =>
    `Die letzte Zeile sieht nach einer Summe aus: In ${columns(facts)} ist sie die Summe der Zeilen darüber. Sie wurde als Zeile gelesen.`,
  mean_row: (facts) =>
    `Die letzte Zeile sieht nach einem Durchschnitt aus: In ${columns(facts)} ist sie der Mittelwert der Zeilen darüber. Sie wurde als Zeile gelesen.`,
  subtotal_rows: ({ count }) =>
    `${number(count)} Zeilen sehen nach Zwischensummen aus: Sie sind die Summe der Zeilen darüber. Sie wurden als Zeilen gelesen.`,
  duplicate_rows: ({ count }) => `${number(count)} Zeilen sind in allen Spalten Kopien einer früheren Zeile.`,
  negatives: (facts) =>
    `Negative Beträge in ${columns(facts)}, in Klammern oder mit Minus dahinter, wurden als Text gelesen.`,
  units: (facts) => `Werte in ${columns(facts)} sind Zahlen mit einer Einheit; sie blieben Text.`,
  time_zone: ({ zone, ...facts }) =>
    `Zeiten in ${columns(facts)} wurden in UTC umgerechnet; in der Datei gilt ${text(zone)}.`,
  utc: (facts) => `Zeiten in ${columns(facts)} sind in UTC angegeben.`,
  joined_header: (facts) => `Zwei Kopfzeilen wurden zu Namen verbunden, etwa ${columns(facts)}.`,
  comments: ({ count }) => `${number(count)} Zeilen, die mit # beginnen, wurden übergangen.`,
  long_rows: (facts) => `Manche Zeilen haben mehr Zellen als es Namen gibt; der Rest steht in ${columns(facts)}.`,
  encoding: ({ encoding }) => `Die Zeichenkodierung ist ${text(encoding)}.`,
  encoding_guess: ({ encoding }) => `Als Zeichenkodierung wurde ${text(encoding)} angenommen: UTF-8 ist es nicht.`,
  broken_bytes: "Manche Bytes sind kein UTF-8: Sie wurden durch „\ufffd“ ersetzt.",
};

const types = texts({
  integer: ["integer", "ganze Zahl"],
  number: ["number", "Zahl"],
  text: ["text", "Text"],
  boolean: ["boolean", "ja/nein"],
  date: ["date", "Datum"],
  datetime: ["datetime", "Zeitpunkt"],
  binary: ["binary", "binär"],
});

/** A note in the user's language. */
export function noteText(note: DataNote): string {
  const phrase = language.get() === "de" ? inGerman[note.code] : undefined;
  return (typeof phrase === "function" ? phrase(note.facts) : phrase) ?? note.text;
}

/** The readable type of a column. */
export function typeText(type: string): string {
  const all: Readonly<Record<string, string>> = spoken(types);
  return all[type] ?? type;
}
