// Server-sent events over fetch: unlike EventSource it sends headers, reports errors, and can be aborted.

import { createParser } from "eventsource-parser";

export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** The frames of a response, until it ends or its request is aborted. Heartbeats are skipped. */
export async function* frames(response: Response): AsyncGenerator<Frame> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let found: Frame[] = [];
  const parser = createParser({
    onEvent: ({ id = "", event = "message", data }) => found.push({ id, event, data }),
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(value);
      yield* found;
      found = [];
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
