// The labels of a picture with their colours; a press hides the nodes of one, or shows them again.

import { EyeOff } from "lucide-react";
import type { ReactNode } from "react";
import { numberText, useText } from "../../app/language";
import { visible } from "../../ui/visible";
import type { GraphPart } from "./api";
import { countsOf } from "./layout";
import { words } from "./words";

interface Props {
  part: GraphPart;
  colours: ReadonlyMap<string, number>;
  hidden: ReadonlySet<string>;
  onHide(hidden: ReadonlySet<string>): void;
}

export function Legend({ part, colours, hidden, onHide }: Props): ReactNode {
  const say = useText(words);
  const toggle = (label: string) => {
    const now = new Set(hidden);
    if (!now.delete(label)) now.add(label);
    onHide(now);
  };
  return (
    <div className="graph-legend" role="group" aria-label={say.legend}>
      {countsOf(part.nodes.map((each) => each.label)).map(([label, count]) => (
        <button
          key={label}
          type="button"
          className={`graph-colour-${colours.get(label) ?? 1}`}
          aria-pressed={!hidden.has(label)}
          title={hidden.has(label) ? say.show(label) : say.hide(label)}
          onClick={() => toggle(label)}
        >
          {visible(label)} <small>{numberText(count)}</small>
          {hidden.has(label) && <EyeOff size={12} aria-hidden />}
        </button>
      ))}
      <span className="faint">{say.manyEdges(numberText(part.edges.length))}</span>
    </div>
  );
}
