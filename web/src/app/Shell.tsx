// The shell: the rail with the panes, the open pane, an optional second pane next to it, the palette, and login.

import { Outlet } from "@tanstack/react-router";
import { CloudOff, Eye, Menu, PanelRightClose, UserRound, X } from "lucide-react";
import { type ComponentType, type ReactNode, Suspense, lazy, useEffect, useState } from "react";
import { type Pane, usePanes } from "../panes";
import type { PaneProps } from "../panes/props";
import { api, isConnected } from "../api";
import { IconButton, Missing, type Shape, Skeleton } from "../ui";
import { askWhenRefused, useMe } from "./access";
import { Caught } from "./Caught";
import { language, texts, useText } from "./language";
import { type Place, go, hashOf, usePlace } from "./router";
import { useShellCommands } from "./shellCommands";
import { SignInAgain } from "./SignIn";
import { useStore } from "./store";
import { Tips } from "../ui/tips";
import { Toasts } from "./toasts";
import { noteUnloaded } from "./unloaded";

const words = texts({
  panes: ["Panes", "Bereiche"],
  more: ["More", "Mehr"],
  account: ["Account and settings", "Konto und Einstellungen"],
  settings: ["Settings", "Optionen"],
  closeBeside: ["Close the pane beside", "Bereich daneben schließen"],
  skip: ["Skip to the content", "Zum Inhalt springen"],
  notYours: [
    (role: string) => `Or it is not open to your role, ${role}.`,
    (role: string) => `Oder Ihre Rolle, ${role}, darf sie nicht öffnen.`,
  ],
  away: [
    "No connection to the service. What you wrote stays here.",
    "Keine Verbindung zum Dienst. Was Sie geschrieben haben, bleibt hier.",
  ],
  onlyLooks: [
    "You can look but not change anything: your role is viewer. An admin of the service can give you another role.",
    "Sie können alles ansehen, aber nichts ändern: Ihre Rolle ist „viewer“. Ein Admin des Dienstes kann Ihnen eine andere geben.",
  ],
});

const ASK_AGAIN = 4000; // ms between requests to a service that did not answer

// Loaded when it is first opened.
const loadPalette = () => import("./Palette").then((module) => ({ default: module.Palette }));
const Palette = lazy(loadPalette);
// It is there when its key is pressed, so that no letter is lost which is typed after it.
window.addEventListener("load", () => setTimeout(() => void loadPalette().catch(() => undefined), 2000));
const More = lazy(() => import("./More").then((module) => ({ default: module.More })));
const KeyHelp = lazy(() => import("./KeyHelp").then((module) => ({ default: module.KeyHelp })));

const loaded = new Map<string, ComponentType<PaneProps>>();
function componentOf(pane: Pane): ComponentType<PaneProps> {
  const found = loaded.get(pane.name) ?? lazy(() => pane.load().catch(noteFailed));
  loaded.set(pane.name, found);
  return found;
}

/** Notes a failed import, so that the next attempt reloads the page. */
function noteFailed(error: unknown): never {
  noteUnloaded(error);
  throw error;
}

/** The mark of the product. */
export const Mark = (): ReactNode => <img className="mark" src="./icon.svg" alt="" width={28} height={28} />;

const paneOf = (panes: readonly Pane[], place: Place): Pane | undefined =>
  place.pane === "" ? panes[0] : panes.find((each) => each.name === place.pane);

/** The pane of the address. */
export function OpenPane(): ReactNode {
  const say = useText(words);
  const place = usePlace();
  const pane = paneOf(usePanes(), place);
  const me = useMe();
  const [, setTries] = useState(0);
  if (!pane) return <Missing pane="chat">{me.role !== "admin" && <p>{say.notYours(me.role)}</p>}</Missing>;
  const Content = componentOf(pane);
  return (
    <Caught key={pane.name} onRetry={() => setTries((tries) => tries + 1)}>
      <Suspense fallback={<Waiting pane={pane.name} />}>
        <Content rest={place.rest} query={place.query} />
      </Suspense>
    </Caught>
  );
}

/** The shapes of the panes while their code is loading. */
const SHAPES: Record<string, Shape> = {
  access: "table",
  editor: "table",
  graph: "canvas",
  logs: "table",
  trace: "table",
};

const Waiting = ({ pane }: { pane: string }): ReactNode => (
  <div className="pane">
    <div className="pane-bar" />
    <Skeleton shape={SHAPES[pane] ?? "list"} lines={6} />
  </div>
);

export function Shell(): ReactNode {
  const say = useText(words);
  const me = useMe();
  const panes = usePanes();
  const place = usePlace();
  const spokenLanguage = useStore(language);
  useEffect(askWhenRefused, []);
  const [open, setOpen] = useState<"palette" | "keys" | "more" | null>(null);
  const pane = paneOf(panes, place);
  const title = pane?.title ?? "";
  const beside = panes.find(
    (each) => each.ofThread && each.name !== pane?.name && each.name === place.query.get("beside"),
  );
  const thread = pane?.ofThread ? (place.rest[0] ?? "") : "";
  const addressOf = (each: Pane) => hashOf(each.name, each.ofThread && thread ? [thread] : []);
  useEffect(() => {
    document.documentElement.lang = spokenLanguage;
    document.title = title ? `${title} · Graphwright` : "Graphwright";
  }, [spokenLanguage, title]);
  const ofApp = useShellCommands({ me, panes, place, thread, addressOf, open: setOpen });

  return (
    <div className="shell">
      <a
        className="skip"
        href="#content"
        onClick={(event) => (event.preventDefault(), document.getElementById("content")?.focus())}
      >
        {say.skip}
      </a>
      <nav className="rail" aria-label={say.panes}>
        <Mark />
        {panes.map((each) => (
          <a
            key={each.name}
            href={addressOf(each)}
            className="rail-item"
            aria-current={each.name === pane?.name ? "page" : undefined}
            title={each.title}
          >
            <each.icon size={18} strokeWidth={1.7} aria-hidden />
            <span>{each.title}</span>
          </a>
        ))}
        <button type="button" className="rail-item rail-more" aria-haspopup="dialog" onClick={() => setOpen("more")}>
          <Menu size={18} strokeWidth={1.7} aria-hidden />
          <span>{say.more}</span>
        </button>
        <div className="rail-end">
          {ofApp.map((each) => (
            <IconButton key={each.id} icon={each.icon!} label={each.title} keys={each.keys} onClick={each.run} />
          ))}
          <button
            type="button"
            className="rail-item account"
            aria-label={`${me.login ? me.user : say.settings}: ${say.account}`}
            aria-haspopup="dialog"
            data-tip={say.account}
            onClick={() => setOpen("more")}
          >
            <UserRound size={18} strokeWidth={1.7} aria-hidden />
            <span className="cut">{me.login ? me.user : say.settings}</span>
          </button>
        </div>
      </nav>
      <div className="notices">
        <Away />
        {me.role === "viewer" && (
          <p className="notice" role="note">
            <Eye size={15} aria-hidden />
            {say.onlyLooks}
          </p>
        )}
      </div>
      <main id="content" className="content" tabIndex={-1}>
        <Outlet />
      </main>
      {pane && beside && thread && (
        <Beside key={beside.name} pane={beside} place={place} thread={thread} address={addressOf(beside)} />
      )}
      <Suspense>
        {open === "palette" && <Palette onClose={() => setOpen(null)} />}
        {open === "more" && (
          <More
            panes={panes}
            current={pane?.name ?? ""}
            addressOf={addressOf}
            open={setOpen}
            onClose={() => setOpen((now) => (now === "more" ? null : now))}
          />
        )}
        {open === "keys" && <KeyHelp onClose={() => setOpen(null)} />}
      </Suspense>
      <SignInAgain />
      <Tips />
      <Toasts />
    </div>
  );
}

/** Says that the service does not answer, on every page. */
function Away(): ReactNode {
  const say = useText(words);
  const isAway = !useStore(isConnected);
  useEffect(() => {
    if (!isAway) return;
    // Not every page asks the service by itself.
    const timer = setInterval(() => void api.me().catch(() => undefined), ASK_AGAIN);
    return () => clearInterval(timer);
  }, [isAway]);
  if (!isAway) return null;
  return (
    <p className="notice" role="status">
      <CloudOff size={15} aria-hidden />
      {say.away}
    </p>
  );
}

/** A pane next to the open one, for its thread. */
function Beside(props: { pane: Pane; place: Place; thread: string; address: string }): ReactNode {
  const { pane, place, thread, address } = props;
  const say = useText(words);
  const [, setTries] = useState(0);
  const Content = componentOf(pane);
  return (
    <aside className="beside" aria-label={pane.title}>
      <header className="beside-head">
        <h2>{pane.title}</h2>
        <a href={address} className="icon-button" aria-label={pane.title} title={pane.title}>
          <PanelRightClose size={16} aria-hidden />
        </a>
        <IconButton icon={X} label={say.closeBeside} onClick={() => go(hashOf(place.pane || "chat", place.rest))} />
      </header>
      <Caught onRetry={() => setTries((tries) => tries + 1)}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <Content rest={[thread]} query={place.query} beside />
        </Suspense>
      </Caught>
    </aside>
  );
}
