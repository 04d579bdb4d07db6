// The sources of an answer: a click on one opens the passage that was read, with a link to its page or entry.

import "./Sources.css";
import { Tooltip, TooltipAnchor, TooltipProvider } from "@ariakit/react";
import type { Element } from "hast";
import {
  Children,
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
  Suspense,
  cloneElement,
  createContext,
  isValidElement,
  lazy,
  useContext,
  useMemo,
  useState,
} from "react";
import type { Source } from "./turn";
import { plainLine } from "../../ui/plain";
import { visible } from "../../ui/visible";

const Passage = lazy(() => import("./Passage"));

interface Known {
  all: readonly Source[];
  of(href: string): Source | undefined;
  called(label: string): Source | undefined;
  open(source: Source): void;
}

const SourcesContext = createContext<Known | null>(null);

/** Inside, links and names of these sources open their passages. */
export function WithSources({ sources, children }: { sources: Source[]; children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<Source | null>(null);
  const known = useMemo(
    () => ({
      all: sources.filter(
        (each, place) => each.url === "" || sources.findIndex(({ url }) => url === each.url) === place,
      ),
      of: (href: string) => sources.find((each) => each.url !== "" && [each.url, encodeURI(each.url)].includes(href)),
      called: (label: string) => sources.find((each) => each.url === "" && each.label === label.trim()),
      open: setShown,
    }),
    [sources],
  );
  return (
    <>
      <SourcesContext value={known}>{children}</SourcesContext>
      {shown && (
        <Suspense fallback={null}>
          <Passage source={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </>
  );
}

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** Whether the words of a link are only the name of its source, which the list says. */
const isName = (words: ReactNode, { title, label }: Source): boolean =>
  typeof words === "string" && (words === title || label.startsWith(words));

type LinkProps = ComponentProps<"a"> & {
  /** It begins its paragraph or item, which its words are then a part of. */
  begins?: boolean;
};

/** A link in an answer: that of a source is a number, which opens its passage. */
export function Link({ href, begins, children }: LinkProps): ReactNode {
  const known = useContext(SourcesContext);
  if (!href) return <>{children}</>;
  const source = known?.of(href);
  const number = source && known ? known.all.findIndex((each) => each.url === source.url) + 1 : 0;
  if (!source || !known)
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    );
  const mark = <Mark source={source} number={number} href={href} onOpen={() => known.open(source)} />;
  if (!begins && isName(children, source)) return mark;
  return (
    <>
      {children} {mark}
    </>
  );
}

interface MarkProps {
  source: Source;
  number: number;
  href: string;
  onOpen(): void;
}

/** The number of a source, whose name is read out; under the pointer or the focus it shows the beginning of it. */
function Mark({ source, number, href, onOpen }: MarkProps): ReactNode {
  return (
    <TooltipProvider timeout={250} placement="bottom-start">
      <TooltipAnchor
        className="source-mark"
        render={(given) => (
          <a {...given} href={href} target="_blank" rel="noopener noreferrer nofollow">
            {given.children}
          </a>
        )}
        aria-haspopup="dialog"
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          onOpen();
        }}
      >
        {number}
        <span className="visually-hidden">: {source.label}</span>
      </TooltipAnchor>
      <Tooltip className="source-preview" gutter={6} portal unmountOnHide>
        <strong>{visible(source.label || source.title)}</strong>
        <span className="source-host">{hostOf(source.url)}</span>
        <p>{beginningOf(source, PREVIEW)}</p>
      </Tooltip>
    </TooltipProvider>
  );
}

/** The content of a paragraph or an item, in which a link at the beginning keeps its words. */
export function withBeginning(children: ReactNode): ReactNode {
  const [first, ...rest] = Children.toArray(children);
  if (!isValidElement<LinkProps>(first) || first.type !== Link) return children;
  return [cloneElement(first, { begins: true }), ...rest];
}

/** An item of a list: the name of a source opens its passage. */
export function Item({ node: _, children, ...rest }: ComponentProps<"li"> & { node?: unknown }): ReactNode {
  const known = useContext(SourcesContext);
  const source = typeof children === "string" ? known?.called(children) : undefined;
  return (
    <li {...rest}>
      {source ? (
        <button type="button" className="source-link" aria-haspopup="dialog" onClick={() => known?.open(source)}>
          {children}
        </button>
      ) : (
        withBeginning(children)
      )}
    </li>
  );
}

const textOf = (node: Element): string =>
  node.children
    .map((each) => (each.type === "text" ? each.value : each.type === "element" ? textOf(each) : ""))
    .join("");

const firstLinkIn = (node: Element): string | undefined => {
  for (const each of node.children) {
    if (each.type !== "element") continue;
    const found = each.tagName === "a" ? String(each.properties.href ?? "") : firstLinkIn(each);
    if (found !== undefined) return found;
  }
  return undefined;
};

const SNIPPET = 160; // characters
const PREVIEW = 420;

function beginningOf({ text }: Source, most: number): string {
  const line = plainLine(text.slice(0, 2 * most));
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** A list; that of the sources at the end of an answer has their numbers and the beginnings of their passages. */
export function SourceList({ node, children, ...rest }: ComponentProps<"ul"> & { node?: Element }): ReactNode {
  const known = useContext(SourcesContext);
  const items = node?.children.filter((each) => each.type === "element") ?? [];
  const isSource = (item: Element) => known?.of(firstLinkIn(item) ?? "") ?? known?.called(textOf(item));
  if (!known || items.length === 0 || !items.every(isSource)) return <ul {...rest}>{children}</ul>;
  return (
    <ol className="source-list">
      {known.all.map((each, place) => (
        <li key={`${each.url} ${each.label}`}>
          <button type="button" aria-haspopup="dialog" onClick={() => known.open(each)}>
            <span className="source-number">{place + 1}</span>
            <span className="source-title">{visible(each.label || each.title)}</span>
            <span className="source-host">{hostOf(each.url)}</span>
            <span className="source-snippet">{beginningOf(each, SNIPPET)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

const hostOf = (url: string): string => (/^https?:/.test(url) && URL.canParse(url) ? new URL(url).hostname : "");
