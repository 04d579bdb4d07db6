// The user and the settings of the app; on a phone also the panes that have no room in the bar at the bottom.

import { CircleHelp, LogOut, Search, UserRound } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { Pane } from "../panes";
import { Button, Dialog } from "../ui";
import { useMe } from "./access";
import { language, texts, useText } from "./language";
import { type Place, usePlace } from "./router";
import { signOut } from "./SignIn";
import { type Store, useStore } from "./store";
import { theme } from "./theme";

const words = texts({
  title: ["Account and settings", "Konto und Einstellungen"],
  noLogin: ["Everybody at this computer", "Alle an diesem Rechner"],
  noLoginNote: ["The service runs without sign-in.", "Der Dienst läuft ohne Anmeldung."],
  role: [(role: string) => `Role: ${role}`, (role: string) => `Rolle: ${role}`],
  panes: ["Panes", "Bereiche"],
  search: ["Search and commands", "Suche und Befehle"],
  language: ["Language", "Sprache"],
  colours: ["Colours", "Farben"],
  system: ["As the system", "Wie das System"],
  light: ["Light", "Hell"],
  dark: ["Dark", "Dunkel"],
  keys: ["Keys", "Tasten"],
  signOut: ["Sign out", "Abmelden"],
});

interface Props {
  panes: readonly Pane[];
  current: string;
  addressOf(pane: Pane): string;
  open(what: "palette" | "keys"): void;
  onClose(): void;
}

export function More({ panes, current, addressOf, open, onClose }: Props): ReactNode {
  const say = useText(words);
  const me = useMe();
  const place = usePlace();
  const [opened] = useState<Place>(place);
  useEffect(() => {
    if (place !== opened) onClose();
  }, [place, opened, onClose]);
  return (
    <Dialog title={say.title} onClose={onClose} className="more-sheet" bare>
      <div className="more-user">
        <UserRound size={18} aria-hidden />
        <div>
          <strong>{me.login ? me.user : say.noLogin}</strong>
          <p className="muted">{me.login ? say.role(me.role) : say.noLoginNote}</p>
        </div>
      </div>
      <nav className="more-panes" aria-label={say.panes}>
        {panes.map((each) => (
          <a
            key={each.name}
            href={addressOf(each)}
            aria-current={each.name === current ? "page" : undefined}
            onClick={onClose}
          >
            <each.icon size={20} strokeWidth={1.7} aria-hidden />
            <span>{each.title}</span>
          </a>
        ))}
      </nav>
      <Choice name={say.language} setting={language} choices={{ en: "English", de: "Deutsch" }} />
      <Choice name={say.colours} setting={theme} choices={{ system: say.system, light: say.light, dark: say.dark }} />
      <div className="more-actions">
        <Button look="quiet" icon={Search} keys="mod+k" onClick={() => open("palette")}>
          {say.search}
        </Button>
        <Button look="quiet" icon={CircleHelp} keys="?" onClick={() => open("keys")}>
          {say.keys}
        </Button>
        {me.login && (
          <Button look="quiet" icon={LogOut} keys="shift+o" onClick={signOut}>
            {say.signOut}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** A setting with its values side by side. */
function Choice<T extends string>(props: { name: string; setting: Store<T>; choices: Record<T, string> }): ReactNode {
  const { name, setting, choices } = props;
  const now = useStore(setting);
  return (
    <fieldset className="more-choice">
      <legend>{name}</legend>
      <div>
        {(Object.entries(choices) as [T, string][]).map(([value, title]) => (
          <label key={value}>
            <input
              type="radio"
              className="visually-hidden"
              name={name}
              checked={value === now}
              onChange={() => setting.set(value)}
            />
            <span>{title}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
