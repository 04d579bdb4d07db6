import { expect, test } from "vitest";
import { storehouse } from "./storage";

test("what the browser refuses to keep is known as long as the page is open", () => {
  const blocked = storehouse(() => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  });
  expect(blocked.get("key")).toBeNull();
  blocked.set("key", "value");
  expect(blocked.get("key")).toBe("value");
  blocked.set("key", null);
  expect(blocked.get("key")).toBeNull();
});

test("a value that no longer fits takes the place of the one that is stored", () => {
  const stored = new Map([["key", "old"]]);
  const storage: Partial<Storage> = {
    getItem: (key) => stored.get(key) ?? null,
    setItem: () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    },
  };
  const full = storehouse(() => storage as Storage);
  full.set("key", "new");
  expect(full.get("key")).toBe("new");
});

test("after a user has gone, nothing is left", () => {
  const stored = new Map([["draft", "mine"]]);
  const storage: Partial<Storage> = { getItem: (key) => stored.get(key) ?? null, clear: () => stored.clear() };
  const kept = storehouse(() => storage as Storage);
  kept.forget();
  expect(kept.get("draft")).toBeNull();
});
