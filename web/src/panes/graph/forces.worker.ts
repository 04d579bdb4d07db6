// Computes places off the main thread.

import { type Question, placesOf } from "./forces";

addEventListener("message", ({ data }: MessageEvent<{ id: number; question: Question }>) => {
  postMessage({ id: data.id, places: placesOf(data.question) });
});
