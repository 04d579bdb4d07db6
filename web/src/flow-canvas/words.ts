import { texts } from "../app/language";

export const words = texts({
  group: ["Picture", "Bild"],
  open: ["Open the subgraph", "Teilablauf öffnen"],
  close: ["Close the subgraph", "Teilablauf schließen"],
  entry: ["entry", "Anfang"],
  exit: ["exit", "Ausgang"],
  onInvalid: ["on invalid", "bei ungültig"],
  onError: ["on error", "bei Fehler"],
  onStuck: ["when stuck", "wenn nichts weiterführt"],
  onEscalate: ["to a person", "an einen Menschen"],
  onAbandon: ["given up", "bei Abbruch"],
  condition: [(guard: string) => `if ${guard}`, (guard: string) => `wenn ${guard}`],
  insert: ["Insert a node here", "Hier einen Knoten einfügen"],
  goTo: [(node: string) => `Go to ${node}`, (node: string) => `Zu ${node} gehen`],
  inherited: ["from below", "von unten"],
  added: ["new", "neu"],
  removed: ["removed", "entfernt"],
  changed: ["changed", "geändert"],
  moved: ["moved", "verschoben"],
  picture: ["Picture of the flow", "Bild des Ablaufs"],
  overview: ["Overview", "Übersicht"],
  larger: ["Zoom in", "Vergrößern"],
  smaller: ["Zoom out", "Verkleinern"],
  fit: ["Show all", "Alles zeigen"],
  large: [(n: number) => `${n} nodes: too many for a picture.`, (n: number) => `${n} Knoten: zu viele für ein Bild.`],
});

export const kindWords = texts({
  question: ["Question", "Frage"],
  decision: ["Decision", "Entscheidung"],
  action: ["Action", "Aktion"],
  subgraph: ["Subgraph", "Teilablauf"],
  terminal: ["End", "Ende"],
});

export const kindAbout = texts({
  question: ["A question to the user", "Eine Frage an den Benutzer"],
  decision: ["A choice of the way by guards", "Eine Wahl des Weges nach Bedingungen"],
  action: ["A function that is run", "Eine Funktion, die ausgeführt wird"],
  subgraph: ["A part of the flow that has its own nodes", "Ein Teil des Ablaufs mit eigenen Knoten"],
  terminal: ["The end of the conversation", "Das Ende des Gesprächs"],
});
