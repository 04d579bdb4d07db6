// The texts of the forms of a flow's channels, constraints and assurances.

import { texts } from "../../app/language";

export const flowFormWords = texts({
  type: ["Type", "Typ"],
  string: ["Text", "Text"],
  number: ["Number", "Zahl"],
  integer: ["Whole number", "Ganze Zahl"],
  boolean: ["Yes or no", "Ja oder nein"],
  array: ["List", "Liste"],
  object: ["Record", "Datensatz"],
  yes: ["Yes", "Ja"],
  no: ["No", "Nein"],
  asWritten: ["As in the text", "Wie im Text"],
  begins: ["Value at the beginning", "Wert am Anfang"],
  name: ["Name", "Name"],
  channelName: ["Name of a channel", "Name eines Kanals"],
  remove: [(name: string) => `Remove ${name}`, (name: string) => `${name} entfernen`],
  constraint: [(n: number) => `Constraint ${n}`, (n: number) => `Bedingung ${n}`],
  condition: ["Before the end this must hold", "Vor dem Ende muss gelten"],
  groups: ["Before the end one of these must be answered", "Vor dem Ende muss eines davon beantwortet sein"],
  groupsHint: [
    "In each line the keys of answers that belong together, such as: email",
    "In jeder Zeile die Schlüssel von Antworten, die zusammengehören, etwa: email",
  ],
  message: ["Message if not", "Meldung, wenn nicht"],
  addCondition: ["Add a condition", "Bedingung hinzufügen"],
  addGroups: ["Add needed answers", "Nötige Antworten hinzufügen"],
  assurance: [(n: number) => `Assurance ${n}`, (n: number) => `Zusicherung ${n}`],
  kind: ["Promise", "Zusage"],
  never: ["This never happens", "Das geschieht nie"],
  always_before: ["This only happens after something else", "Das geschieht nur nach etwas anderem"],
  eventually: ["This happens in every conversation", "Das geschieht in jedem Gespräch"],
  what: ["Node, action or answer", "Knoten, Aktion oder Antwort"],
  comes: ["What comes before", "Was davor kommt"],
  unless: ["Except after, or if", "Außer nach, oder wenn"],
  unlessHint: [
    "In each line a question, an action or a condition. One of them is enough.",
    "In jeder Zeile eine Frage, eine Aktion oder eine Bedingung. Eines davon genügt.",
  ],
  addAssurance: ["Add an assurance", "Zusicherung hinzufügen"],
  addChannel: ["Add a channel", "Kanal hinzufügen"],
});
