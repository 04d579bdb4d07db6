// The language in which the conversations of a flow begin: the default of the channel that the flow names as `language`.

import { fields, type Flow } from "../../../flow-canvas/flow";
import { setField } from "./commands";
import { setIn } from "./yamlEdit";

/** The language tag in which a flow begins; empty if it names none. */
export function spokenIn({ data }: Flow): string {
  const begins = fields(fields(data.state)[String(data.language)]).default;
  return typeof begins === "string" ? begins : "";
}

/** Lets the conversations of a flow begin in a language; without one, the flow names no channel for it any more. */
export function setSpoken(text: string, { data }: Flow, tag: string): string {
  const state = fields(data.state);
  if (!tag) return setField(text, [], "language", undefined);
  if (typeof data.language === "string" && data.language in state)
    return setIn(text, ["state", data.language, "default"], tag);
  const channel = "spoken" in state ? "spoken_language" : "spoken";
  return setIn(setIn(text, ["language"], channel), ["state", channel], { type: "string", default: tag });
}
