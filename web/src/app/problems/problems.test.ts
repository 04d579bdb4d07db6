import { expect, test, vi } from "vitest";
import page from "../../../../docs/service.md?raw";
import { problemWords, wordsOf } from ".";

// The language is stored in the browser's storage. Node before version 21 has no `navigator`.
vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => "en" });
  vi.stubGlobal("navigator", { language: "en", languages: ["en"] });
});

const table = /## Errors\n(?<table>[^]*?)\n\*\*/.exec(page)?.groups?.table ?? "";
const codes = [...table.matchAll(/^\| [\d, ]+ \|(.*)\|$/gm)].flatMap((row) =>
  [...(row[1] ?? "").matchAll(/`([a-z_]+)`/g)].map((code) => code[1] ?? ""),
);

test("every code that the documentation names has words in both languages", () => {
  expect(codes.length).toBeGreaterThan(25);
  for (const code of codes) {
    expect(problemWords.en, code).toHaveProperty(code);
    expect(problemWords.de, code).toHaveProperty(code);
  }
});

test("the words of the service stand beneath where they say more", () => {
  const given = { hint: "Send less.", status: 413 };
  expect(wordsOf({ ...given, code: "large_upload", detail: "At most 5 bytes." }).more).toBe(
    "At most 5 bytes. Send less.",
  );
  expect(wordsOf({ ...given, code: "approval_changed", detail: "It has changed." }).more).toBe("");
  expect(wordsOf({ code: "too_many_requests", detail: "", hint: "", retryAfter: 7 }).text).toContain("7 seconds");
  expect(wordsOf({ code: "made_up", detail: "Its own words.", hint: "" }).text).toBe("Its own words.");
});
