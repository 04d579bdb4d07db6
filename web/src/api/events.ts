// The events of a thread, as the trace has them and a run streams them.

import type { JsonObject } from "./json";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** An event of the trace; docs/events.md describes the types. */
export type Event = Schemas["Event"];
export type EventOf<Type extends Event["type"]> = Extract<Event, { type: Type }>;

/** An event of a run. The last one is the result of the turn, or says that the run failed or was cancelled. */
export type RunEvent = Schemas["RunEvent"];

/** The fields of an event whose type does not matter, or is not known. */
export const fieldsOf = (event: RunEvent): JsonObject => event as unknown as JsonObject;

/** The node of an event; empty if it has none. */
export const nodeOf = (event: RunEvent): string => ("node" in event ? (event.node ?? "") : "");

/** The code of the end of a turn that the user stopped. */
export const STOPPED = "stopped";

/** Whether an event is the end of a turn that the user stopped. */
export const isStop = (event: RunEvent): boolean => event.type === "turn_failed" && event.code === STOPPED;
