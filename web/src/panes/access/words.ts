import { texts } from "../../app/language";

export const words = texts({
  title: ["Access", "Zugang"],
  keys: ["API keys", "API-Schlüssel"],
  audit: ["Approvals", "Freigaben"],
  noLogin: [
    "This service runs without a login: keys count as soon as it has one.",
    "Dieser Dienst läuft ohne Anmeldung: Schlüssel zählen, sobald er eine verlangt.",
  ],
  newKey: ["New key", "Neuer Schlüssel"],
  noKeys: ["There is no key yet", "Noch gibt es keinen Schlüssel"],
  user: ["User", "Benutzer"],
  userHint: [
    "Conversations and files belong to the user that a key names.",
    "Gespräche und Dateien gehören dem Benutzer, den ein Schlüssel nennt.",
  ],
  id: ["Id", "Kennung"],
  role: ["Role", "Rolle"],
  viewer: ["viewer: only looks", "viewer: sieht nur an"],
  ofUser: ["user: talks to agents", "user: spricht mit Agenten"],
  admin: ["admin: keys and approvals, too", "admin: auch Schlüssel und Freigaben"],
  name: ["What it is for", "Zweck"],
  days: ["Holds for days (empty: for ever)", "Gültigkeit in Tagen (leer: unbegrenzt)"],
  create: ["Create", "Anlegen"],
  cancel: ["Cancel", "Abbrechen"],
  made: ["The key is made", "Der Schlüssel ist angelegt"],
  once: [
    "Copy it now: it is shown this once, and nobody can look it up later.",
    "Kopieren Sie ihn jetzt: Er wird nur dieses eine Mal gezeigt und lässt sich später nicht nachsehen.",
  ],
  done: ["Done", "Fertig"],
  state: ["State", "Zustand"],
  holds: ["holds", "gültig"],
  expired: ["expired", "abgelaufen"],
  revoked: ["revoked", "widerrufen"],
  expires: ["Expires", "Läuft ab"],
  never: ["never", "nie"],
  lastUsed: ["Last used", "Zuletzt benutzt"],
  revoke: ["Revoke", "Widerrufen"],
  revokeKey: [(key: string) => `Revoke ${key}`, (key: string) => `${key} widerrufen`],
  revokeTitle: [
    (user: string) => `Revoke this key of ${user}?`,
    (user: string) => `Diesen Schlüssel von ${user} widerrufen?`,
  ],
  revokeText: [
    "It ends at once and for good. Whoever works with it is asked for another one.",
    "Er gilt sofort und endgültig nicht mehr. Wer damit arbeitet, wird nach einem anderen gefragt.",
  ],
  revokedNow: ["The key is revoked.", "Der Schlüssel ist widerrufen."],
  noAudit: ["Nobody has approved anything yet", "Noch hat niemand etwas freigegeben"],
  noAuditHint: [
    "What is approved or rejected stands here, with what came of it.",
    "Hier steht, was freigegeben oder abgelehnt wurde und was daraus wurde.",
  ],
  time: ["When", "Wann"],
  who: ["Who", "Wer"],
  event: ["What", "Was"],
  action: ["Action", "Aktion"],
  agent: ["Agent", "Agent"],
  door: ["Through", "Über"],
  content: ["Hash of what it was about", "Hash dessen, worum es ging"],
  of: ["What it was about", "Worum es ging"],
  undo: [
    (goal: string) => `Undo change ${goal} of the graph`,
    (goal: string) => `Änderung ${goal} am Graphen rückgängig machen`,
  ],
  keyOf: [(whose: string) => `API key: ${whose}`, (whose: string) => `API-Schlüssel: ${whose}`],
  conversation: ["Conversation", "Gespräch"],
  trace: ["Trace", "Verlauf"],
  journal: ["Journal", "Journal"],
});

/** The names of the interfaces of the service, by `door`. */
export const doorWords = texts({
  api: ["app or API", "App oder API"],
  agui: ["AG-UI", "AG-UI"],
  openai: ["OpenAI’s API", "OpenAI-Schnittstelle"],
  mcp: ["MCP", "MCP"],
});

export const eventWords = texts({
  approved: ["approved", "freigegeben"],
  published: ["published", "veröffentlicht"],
  migrated: ["migrated", "migriert"],
  migration_undone: ["migration undone", "Migration rückgängig"],
  rejected: ["rejected", "abgelehnt"],
  changed: ["had changed: nothing was done", "hatte sich geändert: nichts getan"],
  performed: ["done", "ausgeführt"],
  failed: ["failed", "gescheitert"],
  unknown: ["unknown whether done", "unklar, ob ausgeführt"],
  key_made: ["made a key", "Schlüssel angelegt"],
  key_revoked: ["revoked a key", "Schlüssel widerrufen"],
});
