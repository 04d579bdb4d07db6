// The names of the fields of nodes and edges in words. The document has its own names, which are shown as well.

import { texts, useText } from "../../app/language";

const fieldWords = texts({
  label: ["Label", "Beschriftung"],
  from: ["Source", "Quelle"],
  to: ["Target", "Ziel"],
  tags: ["Tags", "Schlagwörter"],
  key: ["Answer key", "Schlüssel der Antwort"],
  prompt: ["Prompt", "Fragetext"],
  schema: ["Schema", "Schema"],
  read: ["How it is read", "Wie sie gelesen wird"],
  options: ["Options from", "Auswahl aus"],
  ask: ["When it is asked", "Wann gefragt wird"],
  required: ["Required", "Erforderlich"],
  when: ["Only if", "Nur wenn"],
  validate: ["Valid if", "Gültig wenn"],
  invalid_prompt: ["Text after an invalid answer", "Text nach ungültiger Antwort"],
  max_invalid: ["Most invalid answers", "Höchstzahl ungültiger Antworten"],
  on_invalid: ["Then go to", "Danach zu"],
  priority: ["Priority", "Vorrang"],
  pick: ["Rule of choice", "Regel der Wahl"],
  run: ["Function", "Funktion"],
  with: ["Parameters", "Parameter"],
  retry: ["Retries", "Wiederholungen"],
  timeout: ["Time limit in seconds", "Zeitgrenze in Sekunden"],
  on_error: ["After an error go to", "Nach einem Fehler zu"],
  confirm: ["Confirmation", "Bestätigung"],
  map: ["For each of", "Für jedes von"],
  ref: ["Subgraph", "Teilablauf"],
  as: ["Result as", "Ergebnis als"],
  say: ["Closing text", "Schlusstext"],
  guard: ["Guard", "Bedingung"],
  id: ["Id", "Kennung"],
  title: ["Title", "Titel"],
  description: ["Description", "Beschreibung"],
  entry: ["Begins at", "Beginnt bei"],
  examples: ["First messages", "Erste Nachrichten"],
  constraints: ["Constraints", "Bedingungen am Ende"],
  assurances: ["Assurances", "Zusicherungen"],
  predicates: ["Named guards", "Benannte Bedingungen"],
  state: ["Channels", "Kanäle"],
  paths: ["Paths", "Pfade"],
  on_stuck: ["If no edge is open", "Wenn keine Kante offen ist"],
  on_escalate: ["If a person must take over", "Wenn ein Mensch übernehmen muss"],
  on_abandon: ["If the user gives up", "Wenn der Benutzer aufgibt"],
  restart: ["After the end, answers", "Antworten nach dem Ende"],
  on_change: ["Waiting conversations", "Wartende Gespräche"],
  max_actions: ["Most actions in a turn", "Höchstzahl Aktionen je Nachricht"],
  path_policy: ["When a path is final", "Wann ein Pfad feststeht"],
  status: ["Channel of the status", "Kanal des Stands"],
  language: ["Channel of the language", "Kanal der Sprache"],
  deterministic: ["One open edge at most", "Höchstens eine offene Kante"],
  shadow: ["Shadow of", "Schatten von"],
  was: ["Earlier ids", "Frühere Kennungen"],
});

/** A field of the document: its name there, and in words if it has some. */
export function useFieldName(name: string): { label: string; name: string } {
  const say = useText(fieldWords) as Record<string, string>;
  return { label: say[name] ?? name, name };
}
