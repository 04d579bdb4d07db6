/** A sentence about a kind of finding with the names that the message has between backticks. */
export function named(sentence: string, message: string, place = ""): string {
  const names = message.split("`").filter((_, index) => index % 2 === 1);
  const others = [...new Set(names)].filter((each) => each !== place && !sentence.includes(`\`${each}\``));
  if (!sentence || others.length === 0) return sentence;
  return `${sentence.replace(/\.$/, "")}: ${others.map((each) => `\`${each}\``).join(", ")}.`;
}
