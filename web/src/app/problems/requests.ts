// Problems of signing in, of requests, and of conversations.

import type { JsonObject } from "../../api";
import { texts } from "../language";
import { waits, wartet } from "./facts";

export const requestProblems = texts({
  empty_message: ["The message is empty.", "Die Nachricht ist leer."],
  long_message: [
    "The message is too long. Send less at once.",
    "Die Nachricht ist zu lang. Senden Sie weniger auf einmal.",
  ],
  bad_thread: ["A conversation cannot be called that.", "So kann ein Gespräch nicht heißen."],
  bad_cursor: [
    "This list cannot be continued. Load it again.",
    "Diese Liste lässt sich nicht fortsetzen. Bitte neu laden.",
  ],
  key_in_address: [
    "An address contained a key, and logs record addresses. Revoke that key.",
    "In einer Adresse stand ein Schlüssel; dort wird er protokolliert. Widerrufen Sie ihn.",
  ],
  login_required: ["This service requires an API key.", "Dieser Dienst verlangt einen API-Schlüssel."],
  bad_login: [
    "This key is not known here. Check it, or ask an admin for another one.",
    "Dieser Schlüssel ist hier nicht bekannt. Prüfen Sie ihn, oder lassen Sie sich einen anderen geben.",
  ],
  key_expired: [
    "This key has expired. Ask an admin for another one.",
    "Dieser Schlüssel ist abgelaufen. Lassen Sie sich einen neuen geben.",
  ],
  key_revoked: [
    "This key was revoked. Ask an admin for another one.",
    "Dieser Schlüssel wurde widerrufen. Lassen Sie sich einen anderen geben.",
  ],
  login_unavailable: [
    "No user can sign in at the moment. Try again soon.",
    "Im Moment kann niemand angemeldet werden. Versuchen Sie es gleich noch einmal.",
  ],
  forbidden: [
    "Your role does not allow this. Ask an admin of the service.",
    "Ihre Rolle erlaubt das nicht. Wenden Sie sich an einen Admin des Dienstes.",
  ],
  cross_origin: [
    "The service takes no writing from a page of another address.",
    "Der Dienst nimmt von Seiten anderer Adressen nichts entgegen.",
  ],
  foreign_host: [
    "The service does not answer to this address. If it is its own, add it to `hosts` of [service].",
    "Unter dieser Adresse antwortet der Dienst nicht. Ist es seine eigene, tragen Sie sie unter `hosts` in [service] ein.",
  ],
  not_found: [
    "This does not exist. It may have been deleted, or belong to somebody else.",
    "Das gibt es nicht. Vielleicht wurde es gelöscht, oder es gehört jemand anderem.",
  ],
  unknown_agent: ["There is no such agent here.", "Diesen Agenten gibt es hier nicht."],
  thread_busy: [
    "A turn of this conversation is still under way. Wait until it has ended, or stop it.",
    "In diesem Gespräch läuft noch eine Runde. Warten Sie, bis sie zu Ende ist, oder halten Sie sie an.",
  ],
  thread_exists: ["There is a conversation with this id already.", "Ein Gespräch mit dieser Kennung gibt es schon."],
  nothing_waits: [
    "The conversation no longer waits for this answer.",
    "Auf diese Antwort wartet das Gespräch nicht mehr.",
  ],
  approval_missing: [
    "Look at what is to be approved, and approve it there. Nothing was done.",
    "Sehen Sie an, was freigegeben werden soll, und geben Sie es dort frei. Es wurde nichts getan.",
  ],
  not_a_confirmation: [
    "The conversation does not wait for a yes or no. Answer its question instead.",
    "Das Gespräch wartet nicht auf ein Ja oder Nein. Bitte die Frage beantworten.",
  ],
  approval_changed: [
    "The content to approve has changed meanwhile. Nothing was done; read it again.",
    "Was freigegeben werden soll, hat sich inzwischen geändert. Es wurde nichts getan; bitte noch einmal ansehen.",
  ],
  draft_changed: [
    "Another version of this draft is stored. Load it again.",
    "Eine andere Fassung dieses Entwurfs ist gespeichert. Bitte neu laden.",
  ],
  revision_missing: [
    "The request does not say which version of the draft it changes.",
    "Die Anfrage nennt nicht die Fassung des Entwurfs, die sie ändert.",
  ],
  version_missing: [
    "The agent has changed since this conversation began, and its earlier version is not there any more.",
    "Der Agent wurde geändert, seit dieses Gespräch begann, und seine frühere Fassung ist nicht mehr vorhanden.",
  ],
  action_missing: [
    "The agent has changed since this conversation began, and can no longer finish it. Nothing was lost; the operator can migrate it.",
    "Der Agent wurde geändert, seit dieses Gespräch begann, und kann es nicht mehr beenden. Nichts ist verloren; der Betreiber kann es umstellen.",
  ],
  agent_not_served: [
    "The agent of this conversation is not served here any more.",
    "Der Agent dieses Gesprächs wird hier nicht mehr angeboten.",
  ],
  version_invalid: [
    "The conversation waits in an earlier version of the flow, which this program cannot read.",
    "Das Gespräch wartet in einer früheren Fassung des Ablaufs, die dieses Programm nicht lesen kann.",
  ],
  large_upload: ["The file is too large.", "Die Datei ist zu groß."],
  large_request: ["That is too much at once.", "Das ist zu viel auf einmal."],
  quota: [
    "Your uploads have no room left. Delete some of them.",
    "Für Ihre Dateien ist kein Platz mehr. Löschen Sie welche.",
  ],
  bad_request: ["The service does not understand this request.", "Der Dienst versteht diese Anfrage nicht."],
  key_reused: [
    "The request was sent twice with different contents.",
    "Die Anfrage kam zweimal mit verschiedenem Inhalt.",
  ],
  answer_refused: ["This answer does not fit the question.", "Diese Antwort passt nicht zur Frage."],
  too_many_requests: [
    (facts: JsonObject) => `That was too much within a minute. Try again in ${waits(facts)}.`,
    (facts: JsonObject) => `Das war zu viel innerhalb einer Minute. Versuchen Sie es in ${wartet(facts)} wieder.`,
  ],
  too_many_descriptions: [
    "Other descriptions are being worked on. Try again when they have ended.",
    "Andere Beschreibungen werden gerade bearbeitet. Versuchen Sie es danach noch einmal.",
  ],
  agent_exists: [
    "There is an agent of this name already. Choose another name.",
    "Es gibt schon einen Agenten mit diesem Namen. Wählen Sie einen anderen.",
  ],
  too_many_runs: [
    "Too many of your turns run at once. Wait until one has ended, or stop one.",
    "Zu viele Ihrer Gespräche arbeiten gleichzeitig. Warten Sie, bis eines fertig ist, oder halten Sie eines an.",
  ],
  locked: [
    "The store is busy. Nothing is lost; try again in a moment.",
    "Die Datenbank ist gerade belegt. Nichts ist verloren; versuchen Sie es gleich noch einmal.",
  ],
  lease_timeout: [
    "Somebody else works on this conversation. Nothing is lost; try again in a moment.",
    "An diesem Gespräch arbeitet gerade jemand anderes. Nichts ist verloren; versuchen Sie es gleich noch einmal.",
  ],
  interrupted: [
    "The service ended in the middle of this turn. Nothing that was done is lost: try again to finish it.",
    "Der Dienst endete mitten in dieser Runde. Was getan wurde, bleibt: Versuchen Sie es erneut, um sie abzuschließen.",
  ],
  stopped: ["The turn was stopped.", "Die Runde wurde angehalten."],
  disk_full: [
    "The disk of the service is full. What was saved before stays.",
    "Die Festplatte des Dienstes ist voll. Was schon gespeichert war, bleibt.",
  ],

  no_answer: [
    "The service does not answer. As soon as it does, this goes on by itself.",
    "Der Dienst antwortet nicht. Sobald er antwortet, geht es von selbst weiter.",
  ],
  internal: [
    "Something went wrong in the service. Its log says what.",
    "Im Dienst ging etwas schief. Was es war, steht in seinem Protokoll.",
  ],
  nothing_to_branch: [
    "Up to here the conversation had not waited for anything: branch at a later event.",
    "Bis hierher hatte das Gespräch noch auf nichts gewartet: Zweigen Sie bei einem späteren Ereignis ab.",
  ],
  answers_cleared: [
    "After this event the conversation begins anew: branch where it waits for an answer.",
    "Nach diesem Ereignis beginnt das Gespräch von vorn: Zweigen Sie dort ab, wo es auf eine Antwort wartet.",
  ],
  flow_stuck: [
    "The conversation finds no way on with this. Say it differently.",
    "Damit kommt das Gespräch nicht weiter. Sagen Sie es anders.",
  ],
});
