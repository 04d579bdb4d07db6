// The panes that the service lists. Those of Graphwright's packages are built into the app, a chunk for each folder
// here; those of other packages are ES modules that the service sends.

import { type LucideIcon, createLucideIcon } from "lucide-react";
import { type ComponentType, createContext, useContext } from "react";
import type { PaneShown } from "../api";
import { language } from "../app/language";
import { useStore } from "../app/store";
import { packaged } from "./packaged";
import type { PaneProps } from "./props";

export interface Pane {
  /** Its name in the address, and the folder of one that is built in. */
  name: string;
  title: string;
  icon: LucideIcon;
  /** The letter that opens it after G, or next to the conversation after B; empty for none. */
  key: string;
  /** It is about one thread: opened from a conversation it shows its thread, and it may be next to the conversation. */
  ofThread: boolean;
  load(): Promise<{ default: ComponentType<PaneProps> }>;
}

const built = import.meta.glob<{ default: ComponentType<PaneProps> }>("./*/index.tsx");

/** Loads the component of a pane that is built in. */
export async function loadBuilt(name: string): Promise<{ default: ComponentType<PaneProps> }> {
  const load = built[`./${name}/index.tsx`];
  if (!load) throw new Error(`The web app was built without the pane ${name}.`);
  return load();
}

const icons = new Map<string, LucideIcon>();

/** The icon with this path data, always the same component. */
function iconOf(path: string): LucideIcon {
  const icon = icons.get(path) ?? createLucideIcon("pane", [["path", { d: path, key: "path" }]]);
  icons.set(path, icon);
  return icon;
}

const paneOf = (shown: PaneShown, spokenLanguage: string): Pane => ({
  name: shown.name,
  title: shown.title[spokenLanguage] ?? shown.title.en ?? shown.name,
  icon: iconOf(shown.icon),
  key: shown.key,
  ofThread: shown.of_thread,
  load: () => (shown.module ? packaged(shown.module) : loadBuilt(shown.name)),
});

/** The panes of the service; the shell provides them. */
export const PanesContext = createContext<readonly PaneShown[]>([]);

/** The panes that the user may open, with their titles in the user's language. */
export function usePanes(): Pane[] {
  const spokenLanguage = useStore(language);
  return useContext(PanesContext).map((each) => paneOf(each, spokenLanguage));
}
