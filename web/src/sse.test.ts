import { expect, test } from "vitest";
import { frames } from "./sse";

async function framesOf(...pieces: string[]): Promise<unknown[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const found = [];
  for await (const { id, event, data } of frames(new Response(body))) found.push([id, event, data]);
  return found;
}

test("frames arrive whole, in any pieces, without heartbeats", async () => {
  const text =
    ': still here\n\nid: 1\nevent: said\ndata: {"a":1}\n\nid: 2\r\nevent: b\r\ndata: x\r\ndata: ü\r\n\r\ndata: cut';
  const whole = [
    ["1", "said", '{"a":1}'],
    ["2", "b", "x\nü"],
  ];
  expect(await framesOf(text)).toEqual(whole);
  for (const size of [1, 3, 7])
    expect(await framesOf(...(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []))).toEqual(whole);
});
