// The commands that solve a finding where no single word does.

import type { Flow } from "../../flow-canvas/flow";
import type { Finding } from "./api";
import { confirmed, withoutAnswer } from "./model/answers";
import { ofPointer } from "./model/flow";

interface Repair {
  title: "bindYes" | "allowNone";
  command(text: string): string;
}

const MAY_BE_UNASKED = "GW408";
const YES_UNBOUND = "GW519";

export function repairOf(flow: Flow, { code, pointer, message }: Finding): Repair | null {
  const place = ofPointer(flow, pointer);
  if (!place || !("id" in place)) return null;
  if (code === YES_UNBOUND) return { title: "bindYes", command: (text) => confirmed(text, place.id) };
  const name = /^`(answers\.\w+)`/.exec(message)?.[1];
  const rest = pointer.split("/").slice(1 + place.path.length);
  const [field = ""] = rest;
  if (code !== MAY_BE_UNASKED || name === undefined || !["prompt", "invalid_prompt", "say", "with"].includes(field))
    return null;
  return { title: "allowNone", command: (text) => withoutAnswer(text, [...place.path, ...rest], name) };
}
