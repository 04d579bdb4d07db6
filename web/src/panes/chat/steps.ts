// The steps of a turn, as cards: made from the events of its trace, both during and after the turn.

import type { Json, JsonObject } from "../../api";
import { type RunEvent, nodeOf } from "../../api/events";
import { refusalText } from "../../app/refusals";

export type Step =
  | { kind: "model"; node: string; model: string; answer: JsonObject; tokens: number; seconds: number; error: string }
  | {
      kind: "tool";
      node: string;
      tool: string;
      given: Json | null;
      result: Json | null;
      seconds: number;
      error: string;
    }
  | { kind: "program"; node: string; code: string; result: string; error: string }
  | { kind: "answer"; key: string; value: Json; quote: string; replaced: Json }
  | { kind: "refused"; key: string; value: Json; reason: string }
  | { kind: "failed"; node: string; error: string };

export interface Summary {
  calls: number;
  tools: number;
  tokens: number;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const number = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function stepsOf(events: readonly RunEvent[]): Step[] {
  const steps: Step[] = [];
  // The trace has a tool's arguments without their values, which are in the model's earlier proposal.
  const proposed: { tool: string; given: Json }[] = [];
  let running: (Step & { kind: "tool" })[] = [];
  for (const event of events) {
    const node = nodeOf(event);
    if (event.type === "model_called") {
      const answer = isObject(event.answer) ? event.answer : {};
      proposed.push(...callsIn(answer));
      const tokens = number(event.input_tokens) + number(event.output_tokens);
      const error = text(event.error);
      steps.push({
        kind: "model",
        node,
        model: text(event.model),
        answer,
        tokens,
        seconds: number(event.seconds),
        error,
      });
    } else if (event.type === "tool_called") {
      const tool = text(event.tool);
      const at = proposed.findIndex((call) => call.tool === tool);
      const [call] = at < 0 ? [] : proposed.splice(at, 1);
      const names = Array.isArray(event.arguments) ? event.arguments : [];
      const step = {
        kind: "tool" as const,
        node,
        tool,
        given: call?.given ?? (names.length > 0 ? names : null),
        result: null,
        seconds: number(event.seconds),
        error: event.ok === false ? text(event.error) || text(event.kind) : "",
      };
      running.push(step);
      steps.push(step);
    } else if (event.type === "channels_written") {
      const results = resultsIn(event.values ?? null);
      for (const step of running) {
        const at = results.findIndex((each) => each.tool === step.tool);
        const [found] = at < 0 ? [] : results.splice(at, 1);
        if (found) step.result = found.result;
      }
      running = [];
    } else if (event.type === "interaction_noted") {
      if (text(event.code))
        steps.push({
          kind: "program",
          node,
          code: text(event.code),
          result: text(event.result),
          error: text(event.error),
        });
    } else if (event.type === "answer_committed") {
      const { key, value = null, quote, replaced = null } = event;
      steps.push({ kind: "answer", key: text(key), value, quote: text(quote), replaced });
    } else if (event.type === "answer_refused") {
      steps.push({
        kind: "refused",
        key: text(event.key),
        value: event.value ?? null,
        reason: refusalText(text(event.stage), text(event.reason)),
      });
    } else if (event.type === "action_failed") {
      steps.push({ kind: "failed", node, error: text(event.error) });
    }
  }
  return steps;
}

export function summaryOf(steps: readonly Step[]): Summary {
  const sum = { calls: 0, tools: 0, tokens: 0 };
  for (const step of steps) {
    if (step.kind === "model") {
      sum.calls += 1;
      sum.tokens += step.tokens;
    } else if (step.kind === "tool") {
      sum.tools += 1;
    }
  }
  return sum;
}

/** Calls of tools anywhere in a value: objects that name a tool and its arguments, in one of the usual forms. */
function callsIn(value: Json): { tool: string; given: Json }[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (!isObject(value)) return [];
  const tool = text(value.tool_name) || text(value.tool) || text(value.name);
  const given = value.arguments ?? value.args ?? value.parameters;
  if (tool && given !== undefined) return [{ tool, given }];
  return Object.entries(value).flatMap(([name, item]) => {
    const inside = callsIn(item);
    return inside.length > 0 || !isObject(item) ? inside : [{ tool: name, given: item }];
  });
}

/** Results of tools in the values that an action wrote: objects that name the call, and have more fields. */
function resultsIn(value: Json): { tool: string; result: Json }[] {
  if (Array.isArray(value)) return value.flatMap(resultsIn);
  if (!isObject(value)) return [];
  const call = value.call;
  const tool = isObject(call)
    ? text(call.tool_name) || text(call.tool) || text(call.name)
    : text(value.tool_name) || text(value.tool);
  if (tool) {
    const { call: _call, tool_name: _name, tool: _tool, arguments: _given, parameters: _parameters, ...rest } = value;
    return Object.keys(rest).length > 0 ? [{ tool, result: rest }] : [];
  }
  return Object.values(value).flatMap(resultsIn);
}
