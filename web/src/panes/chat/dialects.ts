// The extensions of CommonMark in the Markdown of agents. The packages `remark-gfm` and `remark-math` would also load a
// writer of Markdown, which the app does not need.

import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Processor } from "unified";

interface Parsing {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

function extend(processor: Processor, micromark: unknown, fromMarkdown: unknown): void {
  const data = processor.data() as Parsing;
  (data.micromarkExtensions ??= []).push(micromark);
  (data.fromMarkdownExtensions ??= []).push(fromMarkdown);
}

/** A plugin of remark: tables, lists of tasks, struck text, addresses and footnotes, as on GitHub. */
export function remarkGitHub(this: Processor): void {
  extend(this, gfm(), gfmFromMarkdown());
}

/** Loads a plugin of remark: mathematics between two dollars. */
export async function loadRemarkMath(): Promise<(this: Processor) => void> {
  const [{ math }, { mathFromMarkdown }] = await Promise.all([
    import("micromark-extension-math"),
    import("mdast-util-math"),
  ]);
  return function remarkMath() {
    extend(this, math({ singleDollarTextMath: false }), mathFromMarkdown());
  };
}
