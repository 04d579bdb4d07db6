// Takes an answer that nothing asks for out of texts, parameters and confirmations.

import { fields } from "../../../flow-canvas/flow";
import { readFlow } from "./flow";
import { strings } from "./renameAnswer";
import { deleteIn, setIn } from "./yamlEdit";

const TEXTS = ["prompt", "invalid_prompt", "say"];

export function removeAnswer(text: string, key: string): string {
  const flow = readFlow(text);
  if (!flow) return text;
  const read = new RegExp(String.raw`(?<![\w.])answers\.${key}\b`);
  let now = text;
  for (const { data, path } of flow.nodes.values()) {
    const { over } = fields(data.confirm);
    const kept = Array.isArray(over) ? over.filter((name) => name !== `answers.${key}`) : [];
    if (Array.isArray(over) && kept.length < over.length)
      now = kept.length > 0 ? setIn(now, [...path, "confirm", "over"], kept) : deleteIn(now, [...path, "confirm"]);
    for (const name of TEXTS) {
      const value = data[name];
      if (typeof value === "string" && read.test(value)) now = setIn(now, [...path, name], without(value, read));
    }
    // Later items of a list first, so that the paths of earlier ones stay valid.
    for (const [place, value] of [...strings(data.with ?? null, [...path, "with"])].reverse()) {
      if (!read.test(value)) continue;
      const rest = without(value, read);
      now = rest.trim() ? setIn(now, place, rest) : deleteIn(now, place);
    }
  }
  return now;
}

/** A template without its items of a list and its expressions that read something. */
const without = (value: string, read: RegExp): string =>
  value
    .split("\n")
    .filter((line) => !(line.startsWith("- ") && read.test(line)))
    .join("\n")
    .replace(/\{\{.*?\}\}/gs, (hole) => (read.test(hole) ? "" : hole));
