// The small components of all panes. Their styles are in styles/ui.css.

import { Check, ChevronRight, Copy, LoaderCircle, X } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import {
  type ButtonHTMLAttributes,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { isMac, keyText } from "../app/commands";
import { ago, clock, texts, useText } from "../app/language";
import { wordsOfError } from "../app/problems";
import { useNow } from "../app/time";
import { visible } from "./visible";

const words = texts({
  copy: ["Copy", "Kopieren"],
  copied: ["Copied", "Kopiert"],
  close: ["Close", "Schließen"],
  retry: ["Try again", "Erneut versuchen"],
  loading: ["Loading", "Wird geladen"],
  more: ["Show more", "Mehr anzeigen"],
});

export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(" ");

export function Keys({ keys }: { keys: string }): ReactNode {
  return (
    <span className="keys" aria-hidden="true">
      {keyText(keys).map((key, index) => (
        <kbd key={index}>{key}</kbd>
      ))}
    </span>
  );
}

const spokenKeys = (keys: string): string =>
  keys.replaceAll("mod", isMac ? "Meta" : "Control").replace(/\b([a-z])/g, (letter) => letter.toUpperCase());

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon?: LucideIcon;
  look?: "plain" | "primary" | "danger" | "quiet";
  keys?: string;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  icon: Icon,
  look = "plain",
  keys,
  busy,
  children,
  className,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={classes("button", `button-${look}`, className)}
      aria-keyshortcuts={keys && spokenKeys(keys)}
      {...rest}
      disabled={rest.disabled || busy}
    >
      {busy ? <LoaderCircle className="spin" size={15} aria-hidden /> : Icon && <Icon size={15} aria-hidden />}
      {children}
      {keys && <Keys keys={keys} />}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  /** Its name: read out, and shown on hover. */
  label: string;
  keys?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon: Icon, label, keys, className, ...rest }: IconButtonProps): ReactNode {
  const title = keys ? `${label} (${keyText(keys).join(" ")})` : label;
  return (
    <button
      type="button"
      className={classes("icon-button", className)}
      aria-label={label}
      aria-keyshortcuts={keys && spokenKeys(keys)}
      title={title}
      {...rest}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

export function CopyButton({ text }: { text: string }): ReactNode {
  const say = useText(words);
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setDone(true));
  return <IconButton icon={done ? Check : Copy} label={done ? say.copied : say.copy} onClick={copy} />;
}

/** The age of something, which is updated as time passes; the time itself is shown on hover. */
export function Age({ of: time }: { of: string }): ReactNode {
  return (
    <time dateTime={time} title={clock(time)}>
      {useNow(() => ago(time))}
    </time>
  );
}

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}

/** A dot with a state; the state is read out. */
export function StatusDot({ tone, label }: { tone: Tone | "busy"; label: string }): ReactNode {
  return <span className={`dot dot-${tone}`} role="img" aria-label={label} title={label} />;
}

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

/** Grey lines in place of text that is loading. */
export function Skeleton({ lines = 3 }: { lines?: number }): ReactNode {
  const say = useText(words);
  return (
    <div className="skeleton" role="status" aria-label={say.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={{ width: `${88 - ((index * 29) % 47)}%` }} />
      ))}
    </div>
  );
}

/** An error: what is wrong, where, and what to do. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  const say = useText(words);
  const { text, more } = wordsOfError(error);
  return (
    <div className="failure" role="alert">
      <p>{visible(text)}</p>
      {more && <p className="muted">{visible(more)}</p>}
      {retry && (
        <Button look="quiet" onClick={retry}>
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
}): ReactNode {
  const { data, error, reload } = props.of;
  if (data !== undefined) return props.children(data);
  if (error !== undefined) return <Failure error={error} retry={() => void reload()} />;
  return <Skeleton lines={props.lines ?? 3} />;
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

interface DialogProps {
  title: string;
  /** Without it the dialog stays until its content closes it. */
  onClose?: () => void;
  children: ReactNode;
  className?: string;
  /** Without its bar with title and cross; the title is still read out. */
  bare?: boolean;
}

/** A dialog over the page: Escape and a click outside close it, and the focus returns to its previous element. */
export function Dialog({ title, onClose, children, className, bare }: DialogProps): ReactNode {
  const say = useText(words);
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  // The content is rendered after opening, because `autoFocus` has no effect before.
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    setOpen(true);
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={classes("dialog", className)}
      aria-labelledby={name}
      // A browser closes a dialog at a second Escape, whatever `cancel` says.
      onKeyDown={(event) => event.key === "Escape" && !onClose && event.preventDefault()}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => event.target === ref.current && onClose?.()}
    >
      <div className="dialog-body">
        <header className={bare ? "visually-hidden" : "dialog-head"}>
          <h2 id={name}>{title}</h2>
          {!bare && onClose && <IconButton icon={X} label={say.close} onClick={onClose} />}
        </header>
        {open && children}
      </div>
    </dialog>
  );
}

/** A line that opens its content, which is rendered when it is first opened. */
export function Disclosure(props: {
  summary: ReactNode;
  children: () => ReactNode;
  open?: boolean;
  className?: string;
  onOpen?: () => void;
}): ReactNode {
  const [open, setOpen] = useState(props.open ?? false);
  return (
    <details
      className={classes("disclosure", props.className)}
      open={open}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        if (now && !open) props.onOpen?.();
        setOpen(now);
      }}
    >
      <summary>
        <ChevronRight size={14} className="disclosure-sign" aria-hidden />
        {props.summary}
      </summary>
      {open && <div className="disclosure-body">{props.children()}</div>}
    </details>
  );
}

/** A table of plain cells that scrolls sideways inside its frame. */
export function Table(props: { columns: string[]; rows: ReactNode[][]; label: string }): ReactNode {
  return (
    <div className="table-frame" role="region" aria-label={props.label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {props.columns.map((name, index) => (
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
