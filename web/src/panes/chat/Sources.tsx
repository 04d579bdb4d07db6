// The sources of an answer: a click on one opens the passage that was read, with a link to its page or entry.

import "./Sources.css";
import { ExternalLink } from "lucide-react";
import {
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
  createContext,
  useContext,
  useMemo,
  useState,
} from "react";
import type { Source } from "./turn";
import { useText } from "../../app/language";
import { Dialog } from "../../ui";
import { words } from "./words";

interface Known {
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
      of: (href: string) => sources.find((each) => each.url !== "" && [each.url, encodeURI(each.url)].includes(href)),
      called: (label: string) => sources.find((each) => each.url === "" && each.label === label.trim()),
      open: setShown,
    }),
    [sources],
  );
  return (
    <SourcesContext value={known}>
      {children}
      {shown && <Passage source={shown} onClose={() => setShown(null)} />}
    </SourcesContext>
  );
}

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** A link in an answer: opens the passage of a source, otherwise its page. */
export function Link({ href, children }: ComponentProps<"a">): ReactNode {
  const known = useContext(SourcesContext);
  if (!href) return <>{children}</>;
  const source = known?.of(href);
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={source && "source-link"}
      title={source?.label ?? href}
      aria-haspopup={source && "dialog"}
      onClick={(event) => {
        if (!source || !isPlainClick(event)) return;
        event.preventDefault();
        known?.open(source);
      }}
    >
      {children}
    </a>
  );
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
        children
      )}
    </li>
  );
}

function Passage({ source, onClose }: { source: Source; onClose(): void }): ReactNode {
  const say = useText(words);
  const isWeb = /^https?:/.test(source.url);
  return (
    <Dialog title={source.title || say.source} onClose={onClose} className="passage">
      <div className="dialog-content">
        <p className="muted">{source.label}</p>
        <blockquote tabIndex={0}>{source.text}</blockquote>
        {isWeb && (
          <div className="dialog-actions">
            <a className="button button-plain" href={source.url} target="_blank" rel="noopener noreferrer nofollow">
              <ExternalLink size={15} aria-hidden /> {source.kind === "elog" ? say.openEntry : say.openPage}
            </a>
          </div>
        )}
      </div>
    </Dialog>
  );
}
