// How well typed letters match a title.

const isStart = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? "");

/**
 * Higher is better; -1 if they do not match. The title contains the letters, best at the start of a word; or some of
 * them begin its words, and with three letters or more the others may follow anywhere.
 */
export function fit(letters: string, title: string): number {
  const typed = letters.toLowerCase().trim();
  const wanted = typed.replaceAll(" ", "");
  const text = title.toLowerCase();
  for (let at = text.indexOf(typed); at >= 0; at = text.indexOf(typed, at + 1)) if (isStart(text, at)) return 2000 - at;
  if (text.includes(typed)) return 1000 - text.indexOf(typed);
  let at = -1;
  let score = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    const isNear = (at >= 0 && next === at + 1) || isStart(text, next);
    if (next < 0 || (!isNear && (at < 0 || wanted.length < 3))) return -1;
    score += isNear ? 5 : 0;
    at = next;
  }
  return score;
}
