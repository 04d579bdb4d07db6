// Problems of models, agents, graphs, servers and packages.

import type { JsonObject } from "../../api";
import { texts } from "../language";
import { given, name, names } from "./facts";

export const partProblems = texts({
  conflict: [
    "The graph has changed meanwhile. Read it again.",
    "Der Graph hat sich inzwischen geändert. Sehen Sie ihn noch einmal an.",
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
    "The file of the embedded model is damaged. Download it again with `graphwright model pull`.",
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
