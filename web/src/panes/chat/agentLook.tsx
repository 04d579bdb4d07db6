// The icon of an agent, or its initials, on a tile, whose colour depends on the name.

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

type Known = Pick<Agent, "icon" | "title"> | undefined;

export const agentIcon = (agent: Known): LucideIcon => AGENT_ICONS[agent?.icon ?? ""] ?? Bot;

/** The first letters of the first and the last word of a title, or of its only word; empty without letters. */
export function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = ""] = words;
  const letters = words.length > 1 ? [[...first][0], [...(words.at(-1) ?? "")][0]] : [...first].slice(0, 2);
  return letters.join("").toLocaleUpperCase();
}

/** A number for a name, always the same. */
const hueOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) % HUES;

/** The tile of an agent, with the initials of its title if its flow names no icon. */
export function AgentTile({ name, agent, size = 32 }: { name: string; agent: Known; size?: number }): ReactNode {
  const initials = agent && !AGENT_ICONS[agent.icon] ? initialsOf(agent.title) : "";
  const Icon = agentIcon(agent);
  return (
    <span
      className={`agent-tile agent-hue-${hueOf(name)}`}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.38) }}
      aria-hidden
    >
      {initials || <Icon size={Math.round(size * 0.54)} strokeWidth={1.8} />}
    </span>
  );
}

/** The model that answers, in short: for a model file, its name without the folders. */
export const shortModel = (model: string): string => model.replace(/^(\w+:).*\//, "$1");
