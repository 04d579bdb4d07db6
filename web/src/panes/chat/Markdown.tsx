// Text of agents as Markdown: tables, mathematics and highlighted code; without HTML and external pictures.

import "./Markdown.css";
import { ExternalLink, ImageOff, Square, SquareCheck, TriangleAlert } from "lucide-react";
import { Children, type ComponentProps, type ReactNode, isValidElement, memo, useEffect, useState } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkBreaks from "remark-breaks";
import type { Element } from "hast";
import { texts, useText } from "../../app/language";
import { Code } from "./Code";
import { Difference, withDifferences } from "./Difference";
import { loadRemarkMath, remarkGitHub } from "./dialects";
import { Rows } from "./Rows";
import { Item, Link, SourceList, withBeginning } from "./Sources";
import { withMath } from "./mathematics";
import { remarkNumbers, withoutSingleNumbers } from "./numbers";
import { withTables } from "./tables";
import { visible } from "../../ui/visible";

const words = texts({
  picture: [(alt: string) => `Picture elsewhere: ${alt}`, (alt: string) => `Bild anderswo: ${alt}`],
  done: ["done", "erledigt"],
  open: ["open", "offen"],
});

type Plugins = Pick<Options, "remarkPlugins" | "rehypePlugins">;
const PLAIN: Plugins = { remarkPlugins: [remarkGitHub, remarkBreaks, remarkNumbers] };
/** As in a file with wrapped lines. */
const JOINED: Plugins = { remarkPlugins: [remarkGitHub, remarkNumbers] };
let mathematical: Plugins | null = null;

async function loadMathematics(): Promise<Plugins> {
  const [remarkMath, { default: rehypeKatex }] = await Promise.all([
    loadRemarkMath(),
    import("rehype-katex"),
    import("katex/dist/katex.min.css"),
  ]);
  mathematical = {
    remarkPlugins: [remarkGitHub, remarkBreaks, remarkNumbers, remarkMath],
    rehypePlugins: [[rehypeKatex, { trust: false, strict: false, maxSize: 20, maxExpand: 200 }]],
  };
  return mathematical;
}

const sameOrigin = (address: string): boolean => {
  try {
    const { origin, protocol } = new URL(address, document.baseURI);
    return origin === location.origin && protocol.startsWith("http");
  } catch {
    return false;
  }
};

/** A picture of the same origin. An external one would reveal to its server who reads what: it becomes a link. */
function Picture({ src, alt }: ComponentProps<"img">): ReactNode {
  const say = useText(words);
  if (typeof src !== "string" || !src) return alt ?? null;
  if (sameOrigin(src)) return <img src={src} alt={alt ?? ""} loading="lazy" />;
  return (
    <a href={src} target="_blank" rel="noopener noreferrer nofollow" className="picture-elsewhere" title={src}>
      <ImageOff size={13} aria-hidden /> {say.picture(alt || src)} <ExternalLink size={11} aria-hidden />
    </a>
  );
}

/** The box of a list of tasks. */
function Task({ checked }: ComponentProps<"input">): ReactNode {
  const say = useText(words);
  const Sign = checked ? SquareCheck : Square;
  return <Sign className="task" size={15} role="img" aria-label={checked ? say.done : say.open} />;
}

function Block({ children }: ComponentProps<"pre">): ReactNode {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return <pre>{children}</pre>;
  const { className = "", children: text } = children.props;
  const code = typeof text === "string" ? text : "";
  if (className.includes("language-diff")) return <Difference text={code.replace(/\n$/, "")} />;
  return <Code code={code.replace(/\n$/, "")} language={/language-([\w+#-]+)/.exec(className)?.[1] ?? ""} />;
}

const SHORT = 24; // characters of a cell that stays on one line

/** A cell of a table. A range or a word with a hyphen is not divided there. */
function Cell({ node, children, ...rest }: ComponentProps<"td"> & { node?: Element | undefined }): ReactNode {
  const isShort = node !== undefined && lengthOf(node) <= SHORT;
  return (
    <td {...rest} className={isShort ? "whole" : undefined}>
      {children}
    </td>
  );
}

const lengthOf = (node: Element): number =>
  node.children.reduce(
    (sum, each) => sum + (each.type === "text" ? each.value.length : each.type === "element" ? lengthOf(each) : 0),
    0,
  );

/** A line that begins with this sign is a separate warning, also after a list. */
const WARNING = "⚠";

function Paragraph({ children }: ComponentProps<"p">): ReactNode {
  const [first, ...rest] = Children.toArray(children);
  if (typeof first !== "string" || !first.startsWith(WARNING)) return <p>{withBeginning(children)}</p>;
  return (
    <p className="callout callout-warn">
      <TriangleAlert size={15} aria-hidden />
      <span>
        {first.slice(WARNING.length).replace(/^\ufe0f?\s*/, "")}
        {rest}
      </span>
    </p>
  );
}

const components: Components = {
  ...{ a: Link, img: Picture, input: Task, li: Item, p: Paragraph, pre: Block, table: Rows, td: Cell, ul: SourceList },
};

// Quotations and lists that are nested deeper than in real texts: thousands of levels would overflow the call stack.
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+] |\d+[.)] )){50,}/m;

interface Props {
  text: string;
  /** As the user wrote it: without tables made of spaces, and without differences. */
  plain?: boolean;
  /** The end of a line is a space, as in Markdown files. */
  joined?: boolean;
}

export const Markdown = memo(function Markdown({ text: given, plain, joined }: Props): ReactNode {
  const shown = visible(given);
  const text = plain ? withoutSingleNumbers(shown) : withTables(withDifferences(shown)).replace(/\n(?=⚠)/g, "\n\n");
  const { source, hasMath } = withMath(text);
  const simple = joined ? JOINED : PLAIN;
  const [plugins, setPlugins] = useState(mathematical);
  useEffect(() => {
    if (hasMath && !plugins) void loadMathematics().then(setPlugins, () => undefined);
  }, [hasMath, plugins]);
  if (TOO_DEEP.test(text)) return <pre className="plain-result">{text}</pre>;
  return (
    <div className="markdown">
      <ReactMarkdown {...(hasMath && plugins ? plugins : simple)} components={components}>
        {hasMath && plugins ? source : text}
      </ReactMarkdown>
    </div>
  );
});
