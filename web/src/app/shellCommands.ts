// The commands that are available everywhere: the panes, the palette, the theme, the language, signing out.

import { Archive, CircleHelp, Languages, LogOut, Moon, Search, Sun } from "lucide-react";
import type { Me } from "../api";
import type { Pane } from "../panes";
import { type Command, useCommands } from "./commands";
import { language, texts, useText } from "./language";
import { type Place, go, hashOf } from "./router";
import { signOut } from "./SignIn";
import { useStore } from "./store";
import { changeTheme, shownTheme, theme } from "./theme";

const words = texts({
  goTo: ["Go to", "Gehe zu"],
  records: ["Records", "Datensätze"],
  app: ["Application", "Anwendung"],
  palette: ["Search and commands", "Suche und Befehle"],
  keys: ["Keys", "Tasten"],
  toLight: ["Light colours", "Helle Farben"],
  toDark: ["Dark colours", "Dunkle Farben"],
  otherLanguage: ["Deutsch", "English"],
  beside: [(name: string) => `${name} beside the chat`, (name: string) => `${name} neben dem Chat`],
  signOut: [(user: string) => `Sign out ${user}`, (user: string) => `${user} abmelden`],
});

interface Given {
  me: Me;
  panes: readonly Pane[];
  place: Place;
  /** The thread that is open; empty for none. */
  thread: string;
  addressOf(pane: Pane): string;
  open(what: "palette" | "keys"): void;
}

/** Offers the commands; those that are also buttons at the end of the rail are returned. */
export function useShellCommands({ me, panes, place, thread, addressOf, open }: Given): readonly Command[] {
  const say = useText(words);
  const spokenLanguage = useStore(language);
  useStore(theme);
  const isDark = shownTheme() === "dark";
  const goTo = panes.map((each): Command => {
    const keys = each.key ? { keys: `g ${each.key}` } : {};
    return {
      id: `go.${each.name}`,
      group: say.goTo,
      title: each.title,
      ...keys,
      icon: each.icon,
      run: () => go(addressOf(each), { keepsFocus: true }),
    };
  });
  if (me.role === "admin" && panes.some((each) => each.name === "logs"))
    goTo.push({
      id: "go.records",
      group: say.goTo,
      title: say.records,
      keys: "g r",
      icon: Archive,
      run: () => go(hashOf("logs", ["records"])),
    });
  const beside = panes
    .filter((each) => each.ofThread && each.name !== "chat" && thread)
    .map((each): Command => {
      const keys = each.key ? { keys: `b ${each.key}` } : {};
      const shown = place.query.get("beside") === each.name;
      const run = () => go(hashOf("chat", [thread], shown ? {} : { beside: each.name }));
      return {
        id: `beside.${each.name}`,
        group: say.goTo,
        title: say.beside(each.title),
        ...keys,
        icon: each.icon,
        run,
      };
    });
  const ofApp: Command[] = [
    {
      id: "app.palette",
      group: say.app,
      title: say.palette,
      keys: "mod+k",
      icon: Search,
      run: () => open("palette"),
    },
    { id: "app.keys", group: say.app, title: say.keys, keys: "?", icon: CircleHelp, run: () => open("keys") },
    {
      id: "app.theme",
      group: say.app,
      title: isDark ? say.toLight : say.toDark,
      keys: "shift+d",
      icon: isDark ? Sun : Moon,
      run: changeTheme,
    },
    {
      id: "app.language",
      group: say.app,
      title: say.otherLanguage,
      keys: "shift+l",
      icon: Languages,
      run: () => language.set(spokenLanguage === "en" ? "de" : "en"),
    },
  ];
  if (me.login)
    ofApp.push({
      id: "app.signOut",
      group: say.app,
      title: say.signOut(me.user),
      keys: "shift+o",
      icon: LogOut,
      run: signOut,
      button: () => document.querySelector<HTMLElement>(".account"),
    });
  useCommands([...goTo, ...beside, ...ofApp].map((each) => ({ ...each, everywhere: true })));
  return ofApp.slice(0, 2);
}
