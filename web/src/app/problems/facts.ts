// The facts of a problem in sentences.

import type { Json, JsonObject } from "../../api";
import { listText } from "../language";

export const waits = ({ seconds }: JsonObject) => (seconds === 1 ? "1 second" : `${String(seconds)} seconds`);
export const wartet = ({ seconds }: JsonObject) => (seconds === 1 ? "1 Sekunde" : `${String(seconds)} Sekunden`);
export const name = (fact: Json | undefined): string => (typeof fact === "string" ? fact : "");
export const names = (fact: Json | undefined, kind: "and" | "or"): string =>
  Array.isArray(fact) ? listText(fact.map(name), kind) : "";

export const given = (fact: Json | undefined, text: string): string => (fact === undefined ? "" : text);
