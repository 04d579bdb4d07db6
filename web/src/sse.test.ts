import { expect, test } from "vitest";
import { frameReader } from "./sse";

test("frames come whole, however the stream is cut", () => {
  const stream = 'id: 1\nevent: saying\ndata: {"a":\ndata: 1}\n\n: beat\n\r\nid: 2\r\ndata: x\r\n\r\n';
  for (let size = 1; size <= stream.length; size++) {
    const reader = frameReader();
    const found = [];
    for (let at = 0; at < stream.length; at += size) found.push(...reader.push(stream.slice(at, at + size)));
    expect(found).toEqual([
      { id: "1", event: "saying", data: '{"a":\n1}' },
      { id: "2", event: "message", data: "x" },
    ]);
  }
});

test("half a frame is not given", () => {
  expect(frameReader().push("id: 1\ndata: x\n")).toEqual([]);
});
