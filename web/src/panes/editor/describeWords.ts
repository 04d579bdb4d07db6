// The texts of "Describe a change".

import type { components } from "../../api/schema";
import { texts } from "../../app/language";

type At = components["schemas"]["DescriptionProgress"];

const many = (n: number, one: string, more: string): string => `${n} ${n === 1 ? one : more}`;

export const describeWords = texts({
  what: ["What should change?", "Was soll sich ändern?"],
  how: [
    "A language model proposes the change. You see the difference before you take it.",
    "Ein Sprachmodell schlägt die Änderung vor. Sie sehen den Unterschied, bevor Sie ihn übernehmen.",
  ],
  example: ["In your own words: what should the agent do?", "In eigenen Worten: Was soll der Agent tun?"],
  earlier: ["Described before", "Zuvor beschrieben"],
  examples: ["For example", "Zum Beispiel"],
  askFirst: ["Ask for the name at the beginning", "Am Anfang nach dem Namen fragen"],
  confirmFirst: ["Ask for a yes before anything is sent", "Vor dem Senden ein Ja einholen"],
  handOver: [
    "Hand over to a person after two invalid answers",
    "Nach zwei ungültigen Antworten an einen Menschen geben",
  ],
  about: [(node: string) => `After ${node}, ask `, (node: string) => `Nach ${node} fragen: `],
  propose: ["Propose", "Vorschlagen"],
  again: ["Propose again", "Neu vorschlagen"],
  stop: ["Stop", "Anhalten"],
  mayNot: ["Your role may not change flows.", "Ihre Rolle darf keine Abläufe ändern."],
  unreadable: [
    "The text of the draft has an error, so nothing can be proposed. Mend it first.",
    "Der Text des Entwurfs hat einen Fehler. Beheben Sie ihn zuerst, dann lässt sich etwas vorschlagen.",
  ],
  line: [(n: number) => `line ${n}`, (n: number) => `Zeile ${n}`],
  rounds: [(n: number) => many(n, "round", "rounds"), (n: number) => many(n, "Runde", "Runden")],
  nothing: [
    "No change was proposed; the draft is as it was.",
    "Es wurde keine Änderung vorgeschlagen; der Entwurf ist, wie er war.",
  ],
  thinking: ["The model is working …", "Das Modell arbeitet …"],
  asking: [
    (at: At) => `Round ${at.round} of ${at.rounds}: asking the model …`,
    (at: At) => `Runde ${at.round} von ${at.rounds}: Das Modell wird gefragt …`,
  ],
  checking: [
    (at: At) => `Round ${at.round} of ${at.rounds}: checking the commands …`,
    (at: At) => `Runde ${at.round} von ${at.rounds}: Die Befehle werden geprüft …`,
  ],
  testing: [
    (at: At) => `Round ${at.round} of ${at.rounds}: running conversation ${at.conversation} of ${at.conversations} …`,
    (at: At) => `Runde ${at.round} von ${at.rounds}: Gespräch ${at.conversation} von ${at.conversations} läuft …`,
  ],
  round: [
    (n: number, commands: number) => `Round ${n}: ${many(commands, "command", "commands")}`,
    (n: number, commands: number) => `Runde ${n}: ${many(commands, "Befehl", "Befehle")}`,
  ],
  refused: [(n: number) => `${n} refused`, (n: number) => `${n} abgelehnt`],
  errors: [(n: number) => many(n, "error", "errors"), (n: number) => many(n, "Fehler", "Fehler")],
  passed: [
    (n: number, of: number) => `${n} of ${many(of, "conversation passes", "conversations pass")}`,
    (n: number, of: number) => `${n} von ${many(of, "Gespräch besteht", "Gesprächen bestehen")}`,
  ],
  proposed: ["Checked", "Geprüft"],
  unproven: ["Not everything is right", "Nicht alles stimmt"],
  invalid: ["It has errors", "Es hat Fehler"],
  question: ["The model asks", "Das Modell fragt"],
  answer: ["Add the answer to the description, and propose again.", "Ergänzen Sie die Antwort in der Beschreibung."],
  cannot: ["Cannot be done", "Nicht möglich"],
  caution: ["To know before you take it", "Vor dem Übernehmen zu wissen"],
  conversations: ["Conversations", "Gespräche"],
  newFile: ["new", "neu"],
  compare: ["Show side by side", "Nebeneinander"],
  proposal: ["Proposal", "Vorschlag"],
  take: ["Take it", "Übernehmen"],
  dismiss: ["Dismiss", "Verwerfen"],
  taken: [
    "Taken into the draft. Undo brings the former text back.",
    "In den Entwurf übernommen. Rückgängig stellt ihn wieder her.",
  ],
  changed: [
    "The draft has changed since. Propose again.",
    "Der Entwurf hat sich seither geändert. Bitte neu vorschlagen.",
  ],
  newAgent: ["New agent", "Neuer Agent"],
  name: ["Name", "Name"],
  nameRule: [
    "It begins with a letter. Files and addresses get a short form of it.",
    "Er beginnt mit einem Buchstaben. Dateien und Adressen erhalten eine Kurzform davon.",
  ],
  nameMade: [(name: string) => `In files and addresses: ${name}`, (name: string) => `In Dateien und Adressen: ${name}`],
  template: ["Template", "Vorlage"],
  make: ["Create", "Anlegen"],
  files: [
    "Proposed conversations are not stored with the draft: put these files into the folder of the agent.",
    "Vorgeschlagene Gespräche liegen nicht im Entwurf: Legen Sie diese Dateien in den Ordner des Agenten.",
  ],
});

/** The templates of agents by their names: a title, and what each is for. */
export const templateWords = texts({
  empty: ["Empty", "Leer"],
  empty_for: [
    "One question and an end: a beginning for what you describe or draw",
    "Eine Frage und ein Ende: ein Anfang für das, was Sie beschreiben oder zeichnen",
  ],
  collect: ["Collect", "Erfassen"],
  collect_for: [
    "Collects a request, shows it, and hands it over to a team",
    "Erfasst eine Anfrage, zeigt sie und gibt sie an ein Team weiter",
  ],
  ask_model: ["Ask a model", "Modell fragen"],
  ask_model_for: [
    "Lets a language model summarise and rate what the user has written, and keeps it after a yes",
    "Lässt ein Sprachmodell zusammenfassen und bewerten, was geschrieben wurde; behält es nach einem Ja",
  ],
  http_api: ["HTTP service", "HTTP-Dienst"],
  http_api_for: [
    "Looks something up at an HTTP service, and changes it after a yes; the operator allows the host",
    "Schlägt bei einem HTTP-Dienst nach und ändert dort nach einem Ja; der Betreiber erlaubt den Server",
  ],
  booking: ["Booking", "Buchung"],
  booking_for: [
    "Takes a booking with rules for people and days, and records it after a yes",
    "Nimmt eine Buchung an, mit Regeln für Personen und Tage, und trägt sie nach einem Ja ein",
  ],
  support: ["Support", "Support"],
  support_for: [
    "Sorts support requests: a subgraph asks who it is, urgent ones go to a person, others become tickets",
    "Sortiert Anfragen: Ein Teilablauf fragt, wer schreibt; dringende gehen an einen Menschen, andere werden Tickets",
  ],
});
