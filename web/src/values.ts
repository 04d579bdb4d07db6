// What a value of JSON is.

import type { Json, JsonObject } from "./api";

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
