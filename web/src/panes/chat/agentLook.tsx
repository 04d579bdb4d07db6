// The icon of an agent on a tile, whose colour depends on the name.

import "./agentLook.css";
import {
  BookOpenText,
  Bot,
  ChartColumn,
  Code2,
  FlaskConical,
  Headset,
  Lightbulb,
  type LucideIcon,
  Mail,
  Search,
  ShoppingBag,
  Waypoints,
  Wrench,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Agent } from "../../api";

/** The icons that a flow may name in `ui.icon`. */
export const AGENT_ICONS: Record<string, LucideIcon> = {
  book: BookOpenText,
  bulb: Lightbulb,
  chart: ChartColumn,
  code: Code2,
  flask: FlaskConical,
  graph: Waypoints,
  mail: Mail,
  search: Search,
  shop: ShoppingBag,
  support: Headset,
  tool: Wrench,
};

const HUES = 6;

export const agentIcon = (agent: Pick<Agent, "icon"> | undefined): LucideIcon => AGENT_ICONS[agent?.icon ?? ""] ?? Bot;

/** A number for a name, always the same. */
const hueOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) % HUES;

export function AgentTile({
  name,
  icon: Icon,
  size = 32,
}: {
  name: string;
  icon: LucideIcon;
  size?: number;
}): ReactNode {
  return (
    <span className={`agent-tile agent-hue-${hueOf(name)}`} style={{ width: size, height: size }} aria-hidden>
      <Icon size={Math.round(size * 0.54)} strokeWidth={1.8} />
    </span>
  );
}

/** The model that answers, in short: for a model file, its name without the folders. */
export const shortModel = (model: string): string => model.replace(/^(\w+:).*\//, "$1");
