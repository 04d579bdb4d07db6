// The content of an approval in the words of its flow: the labels of questions, and the titles of options.

import type { Json, JsonObject } from "../../api";
import { readable } from "../../app/readable";
import { isObject } from "../../values";

const listIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The questions of a flow document, also those of its subgraphs, by their keys. */
function questionsIn(document: JsonObject): Map<string, JsonObject> {
  const subgraphs = isObject(document.subgraphs) ? Object.values(document.subgraphs).filter(isObject) : [];
  const nodes = [document, ...subgraphs].flatMap((graph) => listIn(graph.nodes));
  return new Map(nodes.filter((each) => typeof each.key === "string").map((each) => [String(each.key), each]));
}

/** The titles of the options that a schema lists, by their values; those of a list are those of its items. */
function titlesIn(schema: Json | undefined): Map<Json, string> {
  if (!isObject(schema)) return new Map();
  const items = titlesIn(schema.items);
  for (const { const: value, title } of [...listIn(schema.oneOf), ...listIn(schema.anyOf)])
    if (value !== undefined && typeof title === "string") items.set(value, title);
  return items;
}

export interface Worded {
  value: JsonObject;
  /** The name of a part for people. */
  nameOf(name: string): string;
}

/** `over` has answers by paths, such as `answers.room`, and channels by their names. */
export function worded(over: JsonObject, document: JsonObject): Worded {
  const questions = questionsIn(document);
  const questionOf = (path: string) =>
    path.startsWith("answers.") ? questions.get(path.split(".").at(-1) ?? "") : undefined;
  const titled = ([path, value]: [string, Json]): [string, Json] => {
    const titles = titlesIn(questionOf(path)?.schema);
    const titleOf = (each: Json): Json => titles.get(each) ?? each;
    return [path, Array.isArray(value) ? value.map(titleOf) : titleOf(value)];
  };
  return {
    value: Object.fromEntries(Object.entries(over).map(titled)),
    nameOf: (name) => {
      const label = questionOf(name)?.label;
      return typeof label === "string" && label ? label : readable(name.replace(/^answers\./, ""));
    },
  };
}
