// The texts of the data pane.

import { numberText, texts } from "../../app/language";

export const words = texts({
  others: [(n: number) => `+${n}`, (n: number) => `+${n}`],
  title: ["Data", "Daten"],
  reload: ["Look again", "Erneut nachsehen"],
  all: ["Data of all conversations", "Daten aller Gespräche"],
  none: ["No conversation has data yet", "Noch kein Gespräch hat Daten"],
  noneHint: [
    "Files that you give to an agent, and the tables and figures it makes of them, stand here.",
    "Hier stehen die Dateien, die Sie einem Agenten geben, und die Tabellen und Diagramme, die er daraus macht.",
  ],
  search: ["Search conversations with data", "Gespräche mit Daten suchen"],
  noneFound: ["No conversation with data fits", "Kein Gespräch mit Daten passt"],
  allAgents: ["All agents", "Alle Agenten"],
  sizeShort: [
    (rows: string, columns: string) => `${rows} × ${columns}`,
    (rows: string, columns: string) => `${rows} × ${columns}`,
  ],
  toRecords: [
    (n: number) => (n === 1 ? "1 record of an action is in Logs" : `${numberText(n)} records of actions are in Logs`),
    (n: number) =>
      n === 1
        ? "1 Datensatz einer Aktion steht im Protokoll"
        : `${numberText(n)} Datensätze von Aktionen stehen im Protokoll`,
  ],
  begin: ["Give a file to an agent", "Einem Agenten eine Datei geben"],
  open: ["Open the conversation", "Gespräch öffnen"],
  conversation: ["Conversation", "Gespräch"],
  agent: ["Agent", "Agent"],
  givenHead: ["Given", "Erhalten"],
  madeHead: ["Made", "Erzeugt"],
  updated: ["Updated", "Aktualisiert"],
  turn: [(n: number) => `Turn ${n}`, (n: number) => `Runde ${n}`],
  files: [
    (n: number) => (n === 1 ? "1 file" : `${numberText(n)} files`),
    (n: number) => (n === 1 ? "1 Datei" : `${numberText(n)} Dateien`),
  ],
  given: ["Data sets it was given", "Erhaltene Datensätze"],
  noneGiven: [
    "None. Drop a CSV, Excel or Parquet file on the chat.",
    "Keine. Ziehen Sie eine CSV-, Excel- oder Parquet-Datei auf den Chat.",
  ],
  made: ["Files it made", "Erzeugte Dateien"],
  noneMade: ["None. Ask for a table or a figure.", "Keine. Bitten Sie um eine Tabelle oder ein Diagramm."],
  size: [
    (rows: string, columns: string) => `${rows} rows, ${columns} columns`,
    (rows: string, columns: string) => `${rows} Zeilen, ${columns} Spalten`,
  ],
  keep: [(file: string) => `Download ${file}`, (file: string) => `${file} herunterladen`],
  columns: ["Columns", "Spalten"],
  head: [(n: string) => `First ${n} rows`, (n: string) => `Erste ${n} Zeilen`],
  column: ["Column", "Spalte"],
  type: ["Type", "Art"],
  missing: ["Missing", "Fehlend"],
  distinct: ["Distinct", "Verschieden"],
  low: ["Lowest", "Kleinster Wert"],
  high: ["Highest", "Größter Wert"],
  mean: ["Mean", "Mittelwert"],
  median: ["Median", "Median"],
  distribution: ["Distribution", "Verteilung"],
});
