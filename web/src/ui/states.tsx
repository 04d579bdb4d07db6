// Placeholders for content that is missing or loading, and errors.

import { LoaderCircle, RotateCcw, SearchX } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Problem } from "../api";
import { texts, useText } from "../app/language";
import { wordsOfError } from "../app/problems";
import { hashOf, usePlace } from "../app/router";
import { Button } from "./buttons";
import { visible } from "./visible";

const words = texts({
  retry: ["Try again", "Erneut versuchen"],
  loading: ["Loading", "Wird geladen"],
  more: ["Show more", "Mehr anzeigen"],
  missing: ["This does not exist", "Das gibt es nicht"],
  missingHint: [
    "It may have been deleted, or belong to somebody else.",
    "Vielleicht wurde es gelöscht, oder es gehört jemand anderem.",
  ],
  toAll: ["Back to the overview", "Zur Übersicht"],
});

/** The placeholder for missing content. */
export function Empty(props: { icon: LucideIcon; title: string; children?: ReactNode }): ReactNode {
  const Icon = props.icon;
  return (
    <div className="empty">
      <Icon size={28} strokeWidth={1.4} aria-hidden />
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

export function Loading(): ReactNode {
  const say = useText(words);
  return (
    <div className="loading" role="status">
      <LoaderCircle className="spin" size={18} aria-hidden />
      <span className="visually-hidden">{say.loading}</span>
    </div>
  );
}

/** The shape of loading content: lines of text, rows with a picture, rows with columns, or a drawing. */
export type Shape = "text" | "list" | "table" | "canvas";

/** Grey places for content that is loading, of its shape. */
export function Skeleton({ shape = "text", lines = 3 }: { shape?: Shape; lines?: number }): ReactNode {
  const say = useText(words);
  return (
    <div className={`skeleton skeleton-${shape}`} role="status" aria-label={say.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={shape === "text" ? { width: `${88 - ((index * 29) % 47)}%` } : undefined} />
      ))}
    </div>
  );
}

/** A text with code between backquotes. */
export const coded = (text: string): ReactNode =>
  visible(text)
    .split("`")
    .map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part));

/** Nothing has the name in the address; a link leads to all that a pane has. */
export function Missing({ pane, children }: { pane?: string; children?: ReactNode }): ReactNode {
  const say = useText(words);
  const place = usePlace();
  return (
    <div className="empty" role="alert">
      <SearchX size={28} strokeWidth={1.4} aria-hidden />
      <h2>{say.missing}</h2>
      {children ?? <p>{say.missingHint}</p>}
      <a className="button" href={hashOf(pane ?? place.pane)}>
        {say.toAll}
      </a>
    </div>
  );
}

/** An error: what is wrong, where, and what to do. A missing thing is not asked for again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  const say = useText(words);
  if (error instanceof Problem && error.status === 404) return <Missing />;
  const { text, more } = wordsOfError(error);
  return (
    <div className="failure" role="alert">
      <p>{coded(text)}</p>
      {more && <p className="muted">{coded(more)}</p>}
      {retry && (
        <Button icon={RotateCcw} onClick={retry}>
          {say.retry}
        </Button>
      )}
    </div>
  );
}

/** One of three states: loading, failed, or loaded. */
export function Loaded<T>(props: {
  of: { data: T | undefined; error: unknown; reload(): unknown };
  children: (data: T) => ReactNode;
  lines?: number;
  shape?: Shape;
}): ReactNode {
  const { data, error, reload } = props.of;
  if (data !== undefined) return props.children(data);
  if (error !== undefined) return <Failure error={error} retry={() => void reload()} />;
  return <Skeleton shape={props.shape ?? "text"} lines={props.lines ?? 3} />;
}

export function MoreButton({ more }: { more: (() => void) | null }): ReactNode {
  const say = useText(words);
  return (
    more && (
      <Button look="quiet" className="more" onClick={more}>
        {say.more}
      </Button>
    )
  );
}
