// Buttons, with their keys.

import { Check, Copy, LoaderCircle } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useEffect, useState } from "react";
import { isMac, keyText } from "../app/commands";
import { texts, useText } from "../app/language";
import { classes } from "./classes";

const words = texts({ copy: ["Copy", "Kopieren"], copied: ["Copied", "Kopiert"] });

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
  look?: "plain" | "primary" | "warn" | "danger" | "quiet";
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
      data-tip={title}
      {...rest}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

interface CopyProps {
  /** The text to copy; a function makes it at the click. */
  text: string | (() => string);
  label?: string;
}

export function CopyButton({ text, label }: CopyProps): ReactNode {
  const say = useText(words);
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = () =>
    void navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(() => setDone(true));
  return <IconButton icon={done ? Check : Copy} label={done ? say.copied : (label ?? say.copy)} onClick={copy} />;
}
