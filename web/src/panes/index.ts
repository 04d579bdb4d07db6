// The panes: the items of the rail at the left.

import { FlaskConical, MessageSquare, ScrollText, ShieldCheck, Table2, Waypoints, Workflow } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { texts } from "../app/language";

/** The properties of a pane: the parts of the address after its name. */
export interface PaneProps {
  rest: string[];
  query: URLSearchParams;
  /** It is next to the conversation, in half of the width, for the thread in `rest[0]`. */
  beside?: boolean;
}

export interface Pane {
  /** Its name in the address, and its folder. */
  name: PaneName;
  icon: LucideIcon;
  /** Two keys in a row that open it. */
  keys: string;
  /** It is about one thread: opened from a conversation it shows its thread, and it may be next to the conversation. */
  ofThread: boolean;
  /** Only admins may see its content. */
  forAdmins?: boolean;
}

export type PaneName = keyof (typeof paneTitles)["en"];

export const panes: readonly Pane[] = [
  { name: "chat", icon: MessageSquare, keys: "g c", ofThread: true },
  { name: "trace", icon: Workflow, keys: "g t", ofThread: true },
  { name: "graph", icon: Waypoints, keys: "g g", ofThread: false },
  { name: "data", icon: Table2, keys: "g d", ofThread: true },
  {
    name: "experiments",
    icon: FlaskConical,
    keys: "g e",
    ofThread: false,
  },
  { name: "logs", icon: ScrollText, keys: "g l", ofThread: false },
  {
    name: "access",
    icon: ShieldCheck,
    keys: "g a",
    ofThread: false,
    forAdmins: true,
  },
];

/** Their names for people. */
export const paneTitles = texts({
  chat: ["Chat", "Chat"],
  trace: ["Trace", "Verlauf"],
  graph: ["Graph", "Graph"],
  data: ["Data", "Daten"],
  experiments: ["Experiments", "Experimente"],
  logs: ["Logs", "Protokoll"],
  access: ["Access", "Zugang"],
});
