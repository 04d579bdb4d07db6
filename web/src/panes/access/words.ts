import { texts } from "../../app/language";

export const words = texts({
  title: ["Access", "Zugang"],
  keys: ["API keys", "API-Schlüssel"],
  audit: ["Approvals", "Freigaben"],
  noLogin: [
    "This service asks for no login, so nobody needs a key yet. The operator turns it on in",
    "Dieser Dienst verlangt keine Anmeldung, also braucht noch niemand einen Schlüssel. Der Betreiber verlangt sie in",
  ],
  about: [
    "With an API key a program, or a person on another device, uses this service as the user whom the key names.",
    "Mit einem API-Schlüssel nutzt ein Programm oder jemand an einem anderen Gerät diesen Dienst als der Benutzer, den der Schlüssel nennt.",
  ],
  example: ["Example", "Beispiel"],
  auditAbout: [
    "Every decision on an action that needs a yes: who decided, on what content, and what came of it.",
    "Jede Entscheidung über eine Aktion, die ein Ja braucht: wer entschied, über welchen Inhalt, und was daraus wurde.",
  ],
  searchAudit: ["Search user, agent or action", "Benutzer, Agent oder Aktion suchen"],
  whatWasAsked: ["What was asked", "Was gefragt war"],
  notThere: [
    "The content is gone with its conversation, or with that version of the flow.",
    "Der Inhalt ist mit seinem Gespräch oder mit jener Fassung des Ablaufs gelöscht.",
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
  author: ["author: edits and tests flows, too", "author: bearbeitet und testet auch Abläufe"],
  publisher: ["publisher: publishes flows, too", "publisher: veröffentlicht auch Abläufe"],
  admin: ["admin: keys and approvals, too", "admin: auch Schlüssel und Freigaben"],
  name: ["What it is for", "Zweck"],
  optional: ["(optional)", "(freiwillig)"],
  days: ["Expires", "Läuft ab"],
  inDays: [(n: number) => `in ${n} days`, (n: number) => `in ${n} Tagen`],
  inAYear: ["in a year", "in einem Jahr"],
  noExpiry: ["never", "nie"],
  create: ["Create", "Anlegen"],
  made: ["The key is made", "Der Schlüssel ist angelegt"],
  once: [
    "Copy it now: it is shown this once, and nobody can look it up later.",
    "Kopieren Sie ihn jetzt: Er wird nur dieses eine Mal gezeigt und lässt sich später nicht nachsehen.",
  ],
  done: ["Done", "Fertig"],
  state: ["State", "Zustand"],
  holds: ["active", "gültig"],
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
  who: ["By", "Von"],
  event: ["Act", "Vorgang"],
  agent: ["Agent", "Agent"],
  allAgents: ["All agents", "Alle Agenten"],
  anyAct: ["Any act", "Jeder Vorgang"],
  noneFound: ["No entry fits", "Kein Eintrag passt"],
  waiting: ["Waiting for your decision", "Warten auf Ihre Entscheidung"],
  flow: ["Flow", "Ablauf"],
  through: [(door: string) => `through ${door}`, (door: string) => `über ${door}`],
  content: ["Fingerprint", "Fingerabdruck"],
  of: ["Object", "Gegenstand"],
  undo: [
    (goal: string) => `Undo change ${goal} of the graph`,
    (goal: string) => `Änderung ${goal} am Graphen rückgängig machen`,
  ],
  keyOf: [(whose: string) => `API key: ${whose}`, (whose: string) => `API-Schlüssel: ${whose}`],
  conversation: ["Conversation", "Gespräch"],
  trace: ["Trace", "Verlauf"],
  journal: ["Journal", "Journal"],
});

/** The choices of the filter by what happened. */
export const actWords = texts({
  approved: ["approved", "freigegeben"],
  rejected: ["rejected", "abgelehnt"],
  notUsed: ["not used", "nicht verwendet"],
  published: ["published", "veröffentlicht"],
  keys: ["keys", "Schlüssel"],
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
  superseded: ["not used: the flow was changed", "nicht verwendet: Ablauf geändert"],
  changed: ["had changed: nothing was done", "hatte sich geändert: nichts getan"],
  performed: ["done", "ausgeführt"],
  failed: ["failed", "gescheitert"],
  unknown: ["unknown whether done", "unklar, ob ausgeführt"],
  key_made: ["made a key", "Schlüssel angelegt"],
  key_revoked: ["revoked a key", "Schlüssel widerrufen"],
});
