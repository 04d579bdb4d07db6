// The guards that are true of one answer of a question.

import { type FlowNode, fields } from "../../../flow-canvas/flow";

/** The guards for a yes and a no, or for each option, with the answer; none if the answers are not known one by one. */
export function answerGuards(node: FlowNode | undefined): Map<string, string | boolean> {
  const { key, read, schema } = node?.data ?? {};
  const { type, enum: options } = fields(schema);
  if (node?.type !== "question" || typeof key !== "string") return new Map();
  if (read === "confirm" || type === "boolean")
    return new Map([true, false].map((each) => [`answers.${key} == ${each}`, each]));
  const texts = Array.isArray(options) ? options.filter((each) => typeof each === "string") : [];
  return new Map(texts.map((each) => [`answers.${key} == '${each.replace(/[\\']/g, "\\$&")}'`, each]));
}
