import { expect, test, vi } from "vitest";

vi.hoisted(() => {
  vi.stubGlobal("document", { baseURI: "http://localhost/" });
  vi.stubGlobal("sessionStorage", { getItem: () => null });
});

test("a long turn is read page by page, each event once", async () => {
  const { detailsOf } = await import("./turn");
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const since = Number(new URL(url).searchParams.get("since"));
    const items = [since, since + 1].map((seq) => ({ seq, event: { type: "said", node: "n", text: String(seq) } }));
    return Response.json({ items, next: since < 4 ? String(since + 2) : null });
  });
  const { events } = await detailsOf("t", [1]);
  expect(events.map((each) => "text" in each && each.text)).toEqual(["0", "1", "2", "3", "4", "5"]);
});
