import { expect, test } from "vitest";
import { withMath } from "./mathematics";

test.each([
  ["Between $5 and $10.", "Between $5 and $10.", false],
  ["From $5–$10 each", "From $5–$10 each", false],
  ["Let $x_1 + 2$ be", "Let $$x_1 + 2$$ be", true],
  ["\\(a^2\\) and `$b$`", "$$a^2$$ and `$b$`", true],
  ["\\[\na\n\\]", "\n$$\na\n$$\n", true],
  ["```\n$x$\n```", "```\n$x$\n```", false],
  ["$$a$$ stays", "$$a$$ stays", true],
  ["It is\n$$ a $$\n> $$b$$", "It is\n$$\na\n$$\n> $$\n> b\n> $$", true],
  ["`code` $$a$$", "`code` $$a$$", true],
  ["$$a$$ `code`", "$$a$$ `code`", true],
])("%j", (text, source, hasMath) => {
  expect(withMath(text)).toEqual({ source, hasMath });
});
