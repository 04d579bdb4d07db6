// The texts of the app for a problem, by its code, in both languages. The service describes problems in English only.
// Its text is shown below if it has more information: the file, the limit, the server.

import type { Json, JsonObject } from "../api";
import { language, listText, spoken, texts } from "./language";

const waits = ({ seconds }: JsonObject) => (seconds === 1 ? "1 second" : `${String(seconds)} seconds`);
const wartet = ({ seconds }: JsonObject) => (seconds === 1 ? "1 Sekunde" : `${String(seconds)} Sekunden`);
const name = (fact: Json | undefined): string => (typeof fact === "string" ? fact : "");
const names = (fact: Json | undefined, kind: "and" | "or"): string =>
  Array.isArray(fact) ? listText(fact.map(name), kind) : "";

const given = (fact: Json | undefined, text: string): string => (fact === undefined ? "" : text);

/**
 * The texts by code, those of docs/service.md first. A function gets the facts of the problem, and the `seconds` until
 * a retry is useful; it returns an empty text if a fact is missing. Without a text, that of the service is shown.
 */
export const problemWords = texts({
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
    "A key stood in an address, where logs keep it. Revoke that key.",
    "In einer Adresse stand ein Schlüssel; dort wird er protokolliert. Widerrufen Sie ihn.",
  ],
  login_required: ["This service wants an API key.", "Dieser Dienst verlangt einen API-Schlüssel."],
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
    "Nobody can be signed in at the moment. Try again soon.",
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
  approval_changed: [
    "What is to be approved has changed meanwhile. Nothing was done; look at it again.",
    "Was freigegeben werden soll, hat sich inzwischen geändert. Es wurde nichts getan; bitte noch einmal ansehen.",
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
  disk_full: [
    "The disk of the service is full. What was saved before stays.",
    "Die Festplatte des Dienstes ist voll. Was schon gespeichert war, bleibt.",
  ],

  no_answer: [
    "The service does not answer. Is `graphwright serve` running?",
    "Der Dienst antwortet nicht. Läuft `graphwright serve`?",
  ],
  internal: [
    "Something went wrong in the service. Its log says what.",
    "Im Dienst ging etwas schief. Was es war, steht in seinem Protokoll.",
  ],
  takes_no_files: ["This agent does not look at files.", "Dieser Agent sieht sich keine Dateien an."],
  too_many_files: ["That are too many files.", "Das sind zu viele Dateien."],
  empty_file: ["There is no text and no table in this file.", "In dieser Datei ist weder Text noch eine Tabelle."],
  not_a_table: ["This file holds no table.", "Diese Datei enthält keine Tabelle."],
  damaged_file: [
    "This file is damaged. Get it once more, or save it anew.",
    "Diese Datei ist beschädigt. Laden Sie sie noch einmal, oder speichern Sie sie neu.",
  ],
  protected_file: [
    "This file is protected by a password. Save it without one.",
    "Diese Datei ist mit einem Passwort geschützt. Speichern Sie sie ohne Passwort.",
  ],
  several_files: [
    "There are several files in this one. Unpack it, and give the one that matters.",
    "In dieser Datei stecken mehrere. Entpacken Sie sie, und geben Sie die, auf die es ankommt.",
  ],
  zip_bomb: [
    "This file unpacks to far more than it should. If you trust it, unpack it yourself.",
    "Diese Datei entpackt sich zu weit mehr, als sie sollte. Vertrauen Sie ihr, entpacken Sie sie selbst.",
  ],
  // For these codes the service's text names the kind of file, in English.
  unknown_format: [
    "",
    "Aus solchen Dateien wird hier nichts gelesen. Speichern Sie den Inhalt in einem anderen Format, etwa als CSV, Excel oder PDF.",
  ],
  image_file: ["", "Das ist ein Bild, in dem kein Text zu lesen ist. Geben Sie es als Bild."],
  not_an_image: ["", "Diese Datei lässt sich nicht als Bild lesen."],
  missing_file: ["", "Diese Datei gibt es nicht."],
  not_a_file: ["", "Das ist keine Datei."],
  unreadable_file: ["", "Diese Datei ist nicht lesbar. Sehen Sie nach ihren Rechten und der Festplatte."],
  changed_file: ["", "Diese Datei änderte sich, während sie gelesen wurde. Versuchen Sie es noch einmal."],
  out_of_time: ["", "Diese Datei zu lesen dauert zu lange. Geben Sie einen Teil davon."],
  out_of_memory: ["", "Diese Datei zu lesen braucht zu viel Speicher. Geben Sie einen Teil davon."],
  files_unavailable: ["", "Dateien lassen sich hier nicht lesen. Mehr sagt `graphwright doctor`."],
  too_large: ["There is too much in this file.", "In dieser Datei ist zu viel."],
  nothing_to_branch: [
    "Up to here the conversation had not waited for anything: branch at a later event.",
    "Bis hierher hatte das Gespräch noch auf nichts gewartet: Zweigen Sie bei einem späteren Ereignis ab.",
  ],
  answers_cleared: [
    "After this event the conversation begins anew: branch where it waits for an answer.",
    "Nach diesem Ereignis beginnt das Gespräch von vorn: Zweigen Sie dort ab, wo es auf eine Antwort wartet.",
  ],
  conflict: [
    "The graph has changed meanwhile. Look at it again.",
    "Der Graph hat sich inzwischen geändert. Sehen Sie ihn noch einmal an.",
  ],
  flow_stuck: [
    "The conversation finds no way on with this. Say it differently.",
    "Damit kommt das Gespräch nicht weiter. Sagen Sie es anders.",
  ],
  graph_unavailable: ["The graph cannot be reached.", "Der Graph ist nicht erreichbar."],
  unreachable: [
    "A server that this needs cannot be reached.",
    "Ein Server, der dafür nötig ist, ist nicht erreichbar.",
  ],
  timed_out: ["A server that this needs took too long.", "Ein Server, der dafür nötig ist, antwortete zu spät."],
  model_unreachable: ["The model cannot be reached.", "Das Modell ist nicht erreichbar."],
  model_not_authorised: [
    "The model's provider refused the key.",
    "Der Anbieter des Modells hat den Schlüssel abgelehnt.",
  ],
  model_rate_limited: [
    "The model's provider wants fewer calls. Try again in a moment.",
    "Der Anbieter des Modells bremst die Aufrufe. Versuchen Sie es gleich noch einmal.",
  ],
  model_quota: [
    "The quota at the model's provider is used up.",
    "Das Kontingent beim Anbieter des Modells ist erschöpft.",
  ],
  model_timeout: ["The model took too long.", "Das Modell hat zu lange gebraucht."],
  model_server_error: ["The model's provider has a problem.", "Beim Anbieter des Modells gibt es eine Störung."],
  embedded_model_missing: [
    "The embedded model is not on this machine. Get it once with `graphwright model pull` (1.1 GB), or choose another one with `--model`.",
    "Das eingebaute Modell ist nicht auf diesem Rechner. Holen Sie es einmal mit `graphwright model pull` (1,1 GB), oder wählen Sie mit `--model` ein anderes.",
  ],
  embedded_model_broken: [
    "The file of the embedded model is damaged. Fetch it anew with `graphwright model pull`.",
    "Die Datei des eingebauten Modells ist beschädigt. Holen Sie sie neu mit `graphwright model pull`.",
  ],
  model_unavailable: ["The model cannot be set up.", "Das Modell lässt sich nicht einrichten."],
  unknown_provider: [
    ({ name: model }: JsonObject) =>
      given(
        model,
        `There is no provider for the model ${name(model)}. Write PROVIDER:MODEL, such as openai:gpt-5, or embedded, or none.`,
      ),
    ({ name: model }: JsonObject) =>
      given(
        model,
        `Einen Anbieter für das Modell ${name(model)} gibt es nicht. Schreiben Sie ANBIETER:MODELL, etwa openai:gpt-5, oder embedded, oder none.`,
      ),
  ],
  bad_model_name: ["The name of the model is not complete.", "Der Name des Modells ist nicht vollständig."],
  bad_model_script: [
    "The rules of the scripted model cannot be used.",
    "Die Regeln des Modells lassen sich nicht verwenden.",
  ],
  missing_key: [
    ({ provider, variables }: JsonObject) =>
      given(
        provider,
        `The models of ${name(provider)} need an API key. Set ${names(variables, "or")} in the environment of the service.`,
      ),
    ({ provider, variables }: JsonObject) =>
      given(
        provider,
        `Die Modelle von ${name(provider)} brauchen einen API-Schlüssel. Setzen Sie ${names(variables, "or")} in der Umgebung des Dienstes.`,
      ),
  ],
  missing_package: [
    (facts: JsonObject) =>
      given(
        facts.install,
        `The package ${name(facts.package)} is missing or does not load. Install it: pip install '${name(facts.install)}'`,
      ),
    (facts: JsonObject) =>
      given(
        facts.install,
        `Das Paket ${name(facts.package)} fehlt oder lässt sich nicht laden. Installieren Sie es: pip install '${name(facts.install)}'`,
      ),
  ],
  extra_missing: [
    ({ packages, install }: JsonObject) =>
      given(install, `Packages are missing (${names(packages, "and")}). Install them: pip install '${name(install)}'`),
    ({ packages, install }: JsonObject) =>
      given(
        install,
        `Es fehlen Pakete (${names(packages, "and")}). Installieren Sie sie: pip install '${name(install)}'`,
      ),
  ],
  sandbox_unavailable: [
    "Programs cannot be run safely on this machine. `graphwright doctor` says more.",
    "Auf diesem Rechner lassen sich Programme nicht sicher ausführen. Mehr sagt `graphwright doctor`.",
  ],
  bad_graph_url: ["The address of the graph is none.", "Die Adresse des Graphen ist keine."],
  damaged_graph: [
    "The file of the graph is damaged. Restore it from a backup, or move it away to begin with an empty graph.",
    "Die Datei des Graphen ist beschädigt. Stellen Sie sie aus einer Sicherung wieder her, oder verschieben Sie sie, um mit einem leeren Graphen zu beginnen.",
  ],
  connection_lost: ["The connection to the graph broke off.", "Die Verbindung zum Graphen brach ab."],
  flow_invalid: ["The flow of this agent has errors.", "Der Ablauf dieses Agenten enthält Fehler."],
  bad_python: ["The Python of this agent has errors.", "Der Python-Code dieses Agenten enthält Fehler."],
  agent_import: [
    "The Python of this agent cannot be loaded.",
    "Der Python-Code dieses Agenten lässt sich nicht laden.",
  ],
  bad_settings: [
    "The settings of this agent cannot be used.",
    "Die Einstellungen dieses Agenten lassen sich nicht verwenden.",
  ],
  prompt_too_long: [
    "That is more than the model can read at once.",
    "Das ist mehr, als das Modell auf einmal lesen kann.",
  ],
  no_model: ["This needs a model, and none answers here.", "Dafür ist ein Modell nötig, und hier antwortet keines."],
});

/** The codes for which the service's text has more information than the code: a number, a name, a place. */
const MORE = new Set(
  `empty_file not_a_table damaged_file several_files too_large conflict bad_request answer_refused large_upload
   large_request quota unknown_agent foreign_host bad_thread long_message too_many_files graph_unavailable
   unreachable timed_out model_unreachable model_not_authorised model_quota model_server_error
   prompt_too_long model_unavailable bad_model_name bad_model_script bad_graph_url flow_invalid
   bad_python agent_import bad_settings connection_lost damaged_graph`.split(/\s+/),
);

const words = texts({
  refused: ["That is not possible like this.", "So geht das nicht."],
  broken: ["The service could not do that.", "Das konnte der Dienst nicht tun."],
  app: ["Something went wrong in the app itself.", "In der App selbst ging etwas schief."],
});

/** A problem of the service: of a refused request, or of a failed turn. */
export interface Told {
  code: string;
  detail: string;
  hint: string;
  /** Numbers and names in it. */
  facts?: JsonObject;
  /** The HTTP status, if there is one. */
  status?: number;
  retryAfter?: number | null;
}

/** The text of the app for a problem: what is wrong and what to do, and the additional text of the service. */
export function wordsOf(problem: Told): { text: string; more: string } {
  const all: Readonly<Record<string, string | ((facts: JsonObject) => string)>> = spoken(problemWords);
  const phrase = Object.hasOwn(all, problem.code) ? all[problem.code] : undefined;
  const facts = { ...problem.facts, seconds: problem.retryAfter ?? 60 };
  const known = typeof phrase === "function" ? phrase(facts) : phrase;
  const more = [problem.detail, problem.hint].filter(Boolean).join(" ");
  if (known) return { text: known, more: MORE.has(problem.code) ? more : "" };
  if (language.get() === "en" && problem.detail) return { text: problem.detail, more: problem.hint };
  const say = spoken(words);
  return { text: problem.status !== undefined && problem.status < 500 ? say.refused : say.broken, more };
}

/** The same for any thrown value. */
export function wordsOfError(error: unknown): { text: string; more: string } {
  if (isProblem(error)) return wordsOf(error);
  return { text: error instanceof Error ? error.message : spoken(words).app, more: "" };
}

const isProblem = (error: unknown): error is Error & Told =>
  error instanceof Error && "code" in error && "detail" in error && "hint" in error;
