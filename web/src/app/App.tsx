// The shell: the rail with the panes, the open pane, an optional second pane next to it, the palette, and login.

import {
  CircleHelp,
  Command as CommandIcon,
  Compass,
  Eye,
  Languages,
  LogOut,
  Moon,
  PanelRightClose,
  Sun,
  X,
} from "lucide-react";
import { Component, type ComponentType, type ReactNode, Suspense, lazy, useEffect, useState } from "react";
import { type Me, type PaneShown, Problem, api } from "../api";
import { type Pane, type PaneProps, PanesContext, usePanes } from "../panes";
import { Empty, Failure, IconButton, Loading, Skeleton } from "../ui";
import { MeContext, askWhenRefused } from "./access";
import { type Command, handleKey, useCommands } from "./commands";
import { KeyHelp, Palette } from "./Palette";
import { SignInAgain, SignInPage, signOut } from "./SignIn";
import { language, spoken, texts, useText } from "./language";
import { forgetUnseen, useResource } from "./resource";
import { go, hashOf, usePlace } from "./router";
import { useStore } from "./store";
import { shownTheme, theme } from "./theme";
import { Toasts } from "./toasts";

const words = texts({
  panes: ["Panes", "Bereiche"],
  goTo: ["Go to", "Gehe zu"],
  app: ["Application", "Anwendung"],
  palette: ["All actions", "Alle Aktionen"],
  keys: ["Keys", "Tasten"],
  toLight: ["Light colours", "Helle Farben"],
  toDark: ["Dark colours", "Dunkle Farben"],
  otherLanguage: ["Deutsch", "English"],
  closeBeside: ["Close the pane beside", "Bereich daneben schließen"],
  beside: [(name: string) => `${name} beside the chat`, (name: string) => `${name} neben dem Chat`],
  skip: ["Skip to the content", "Zum Inhalt springen"],
  nowhere: ["There is no such page", "Diese Seite gibt es nicht"],
  toChat: ["To the chat", "Zum Chat"],
  onlyLooks: [
    "You can look but not change anything: your role is viewer. An admin of the service can give you another role.",
    "Sie können alles ansehen, aber nichts ändern: Ihre Rolle ist „viewer“. Ein Admin des Dienstes kann Ihnen eine andere geben.",
  ],
  signOut: [(user: string) => `Sign out ${user}`, (user: string) => `${user} abmelden`],
  broken: [
    (why: string) => `This part of the app failed: ${why}`,
    (why: string) => `Dieser Teil der App ist gescheitert: ${why}`,
  ],
});

const loaded = new Map<string, ComponentType<PaneProps>>();
function componentOf(pane: Pane): ComponentType<PaneProps> {
  const found = loaded.get(pane.name) ?? lazy(() => pane.load().catch((error: unknown) => forget(pane, error)));
  loaded.set(pane.name, found);
  return found;
}

/** Forgets a failed import, so that the next attempt loads it again. */
function forget(pane: Pane, error: unknown): never {
  loaded.delete(pane.name);
  throw error;
}

export function App(): ReactNode {
  const me = useResource<Me>("me", api.me);
  const panes = useResource<{ items: PaneShown[] }>(me.data ? `panes of ${me.data.user}` : null, api.panes);
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  if (me.data && panes.data)
    return (
      <MeContext value={me.data}>
        <PanesContext value={panes.data.items}>
          <Shell me={me.data} />
        </PanesContext>
      </MeContext>
    );
  if (me.error instanceof Problem && (me.error.status === 401 || me.error.code === "forbidden"))
    return <SignInPage refused={me.error} onDone={me.put} />;
  const error = me.error ?? (me.data && panes.error);
  if (error !== undefined)
    return (
      <main className="whole-page">
        <Failure error={error} retry={() => (void me.reload(), void panes.reload())} />
      </main>
    );
  // The same frame as in index.html.
  return (
    <div className="shell">
      <div className="rail" />
      <main className="pane-body">
        <Skeleton />
      </main>
    </div>
  );
}

function Shell({ me }: { me: Me }): ReactNode {
  const say = useText(words);
  const shown = usePanes();
  const place = usePlace();
  const spokenLanguage = useStore(language);
  useStore(theme);
  useEffect(askWhenRefused, []);
  const [open, setOpen] = useState<"palette" | "keys" | null>(null);
  const [, setTries] = useState(0);
  const again = () => setTries((tries) => tries + 1);
  const pane = place.pane === "" ? shown[0] : shown.find((each) => each.name === place.pane);
  const beside = shown.find(
    (each) => each.ofThread && each.name !== pane?.name && each.name === place.query.get("beside"),
  );
  const thread = pane?.ofThread ? (place.rest[0] ?? "") : "";
  const addressOf = (each: Pane) => hashOf(each.name, each.ofThread && thread ? [thread] : []);
  const closeBeside = () => pane && go(hashOf(pane.name, place.rest));

  useEffect(() => {
    document.documentElement.lang = spokenLanguage;
    document.title = pane ? `${pane.title} · Graphwright` : "Graphwright";
  }, [spokenLanguage, pane?.title]);

  const dark = shownTheme() === "dark";
  const offered: Command[] = [
    ...shown.map((each) => ({
      id: `go.${each.name}`,
      group: say.goTo,
      title: each.title,
      ...(each.key ? { keys: `g ${each.key}` } : {}),
      icon: each.icon,
      run: () => go(addressOf(each)),
    })),
    ...shown
      .filter((each) => each.ofThread && each.name !== "chat" && thread)
      .map((each) => ({
        id: `beside.${each.name}`,
        group: say.goTo,
        title: say.beside(each.title),
        ...(each.key ? { keys: `b ${each.key}` } : {}),
        icon: each.icon,
        run: () => go(hashOf("chat", [thread], place.query.get("beside") === each.name ? {} : { beside: each.name })),
      })),
    {
      id: "app.palette",
      group: say.app,
      title: say.palette,
      keys: "mod+k",
      icon: CommandIcon,
      run: () => setOpen("palette"),
    },
    { id: "app.keys", group: say.app, title: say.keys, keys: "?", icon: CircleHelp, run: () => setOpen("keys") },
    {
      id: "app.theme",
      group: say.app,
      title: dark ? say.toLight : say.toDark,
      keys: "shift+d",
      icon: dark ? Sun : Moon,
      run: () => theme.set(dark ? "light" : "dark"),
    },
    {
      id: "app.language",
      group: say.app,
      title: say.otherLanguage,
      keys: "shift+l",
      icon: Languages,
      run: () => language.set(spokenLanguage === "en" ? "de" : "en"),
    },
    ...(me.login
      ? [
          {
            id: "app.signOut",
            group: say.app,
            title: say.signOut(me.user),
            keys: "shift+o",
            icon: LogOut,
            run: signOut,
            button: () => document.querySelector<HTMLElement>(".of-signOut"),
          },
        ]
      : []),
  ];
  useCommands(offered.map((each) => ({ ...each, everywhere: true })));
  const Content = pane && componentOf(pane);
  const Beside = beside && componentOf(beside);

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
        {shown.map((each) => (
          <a
            key={each.name}
            href={addressOf(each)}
            className="rail-item"
            aria-current={each === pane ? "page" : undefined}
            title={each.title}
          >
            <each.icon size={18} strokeWidth={1.7} aria-hidden />
            <span>{each.title}</span>
          </a>
        ))}
        <div className="rail-end">
          {offered
            .filter((each) => each.id.startsWith("app."))
            .map((each) => (
              <IconButton
                key={each.id}
                icon={each.icon!}
                label={each.title}
                keys={each.keys}
                onClick={each.run}
                className={`of-${each.id.slice(4)}`}
              />
            ))}
        </div>
      </nav>
      {me.role === "viewer" && (
        <p className="notice" role="note">
          <Eye size={15} aria-hidden />
          {say.onlyLooks}
        </p>
      )}
      <main id="content" className="content" tabIndex={-1}>
        {Content ? (
          <Caught key={pane.name} onRetry={again}>
            <Suspense fallback={<Loading />}>
              <Content rest={place.rest} query={place.query} />
            </Suspense>
          </Caught>
        ) : (
          <Empty icon={Compass} title={say.nowhere}>
            <p>
              <a href={hashOf("chat")}>{say.toChat}</a>
            </p>
          </Empty>
        )}
      </main>
      {beside && Beside && thread && (
        <aside className="beside" aria-label={beside.title}>
          <header className="beside-head">
            <h2>{beside.title}</h2>
            <a href={addressOf(beside)} className="icon-button" aria-label={beside.title} title={beside.title}>
              <PanelRightClose size={16} aria-hidden />
            </a>
            <IconButton icon={X} label={say.closeBeside} onClick={closeBeside} />
          </header>
          <Caught key={beside.name} onRetry={again}>
            <Suspense fallback={<Loading />}>
              <Beside rest={[thread]} query={place.query} beside />
            </Suspense>
          </Caught>
        </aside>
      )}
      {open === "palette" && <Palette onClose={() => setOpen(null)} />}
      {open === "keys" && <KeyHelp onClose={() => setOpen(null)} />}
      <SignInAgain />
      <Toasts />
    </div>
  );
}

/** An error boundary: shows an error of its content in its place; the rest of the app stays. */
class Caught extends Component<{ children: ReactNode; onRetry(): void }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  // The cause may be a wrong answer of the service: the next attempt must not use it again.
  override componentWillUnmount(): void {
    if (this.state.error !== undefined) forgetUnseen();
  }
  private retry = (): void => {
    forgetUnseen();
    this.props.onRetry();
    this.setState({ error: undefined });
  };
  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    const { error } = this.state;
    const shown = error instanceof Problem ? error : new Error(spoken(words).broken(String(error)));
    return <Failure error={shown} retry={this.retry} />;
  }
}
