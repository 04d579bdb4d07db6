// An answer that is used again for a short time, such as while the user types.

const KEPT = 15_000; // ms

/** The same request, made at most once in the time; a failed one is made again. */
export function remembered<T>(load: () => Promise<T>, now: () => number = Date.now): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | null = null;
  return () => {
    if (last && now() - last.at < KEPT) return last.answer;
    const asked = { at: now(), answer: load() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = null;
    });
    return asked.answer;
  };
}
