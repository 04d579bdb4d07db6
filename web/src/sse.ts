// Server-sent events over fetch: unlike EventSource it sends headers, reports errors, and can be aborted.

export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** Splits a stream of text into frames. `push` takes the next piece and returns the complete frames. */
export function frameReader(): { push(piece: string): Frame[] } {
  let rest = "";
  let frame: Frame = { id: "", event: "message", data: "" };
  let lines: string[] = [];

  function line(text: string, found: Frame[]): void {
    if (text === "") {
      if (lines.length > 0) found.push({ ...frame, data: lines.join("\n") });
      frame = { id: frame.id, event: "message", data: "" };
      lines = [];
      return;
    }
    if (text.startsWith(":")) return; // a heartbeat
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "data") lines.push(value);
    else if (field === "event") frame.event = value;
    else if (field === "id") frame.id = value;
  }

  return {
    push(piece) {
      const found: Frame[] = [];
      rest += piece;
      // A carriage return at the end may be the first half of a line break.
      const parts = rest.split(/\r\n|\n|\r(?!$)/);
      rest = parts.pop() ?? "";
      for (const part of parts) line(part, found);
      return found;
    },
  };
}

/** The frames of a response, until it ends or its request is aborted. */
export async function* frames(response: Response): AsyncGenerator<Frame> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const split = frameReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* split.push(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
