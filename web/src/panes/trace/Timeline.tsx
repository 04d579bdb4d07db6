// The timeline of a turn: a bar for each call of a model, a tool or an action. A click opens its event.

import { type ReactNode, useState } from "react";
import type { TraceRow } from "../../api";
import { numberText, secondsText, useText } from "../../app/language";
import { useNodeNames } from "../../app/nodes";
import { MoreButton, classes } from "../../ui";
import { visible } from "../../ui/visible";
import { ticksOf, timelineOf } from "./timeline";
import { kindWords, words } from "./words";

const SHOWN = 12; // bars at first, and with each "more"

interface Props {
  rows: readonly TraceRow[];
  began: string;
  event: number | null;
  onEvent(seq: number | null): void;
}

export function Timeline({ rows, began, event, onEvent }: Props): ReactNode {
  const say = useText(words);
  const kinds = useText(kindWords);
  const nameOf = useNodeNames();
  const [most, setMost] = useState(SHOWN);
  const { bars, seconds } = timelineOf(rows, began);
  if (bars.length === 0 || seconds === 0) return null;
  const place = (of: number) => `${(100 * of) / seconds}%`;
  return (
    <section className="timeline" aria-label={say.timeline}>
      <div className="timeline-scale" aria-hidden>
        {ticksOf(seconds).map((tick) => (
          <span key={tick} style={{ left: place(tick) }}>
            {say.seconds(numberText(tick, 3))}
          </span>
        ))}
      </div>
      <ol>
        {bars.slice(0, most).map((bar) => (
          <li key={bar.seq}>
            <button
              type="button"
              className={classes(
                "timeline-row",
                `timeline-${bar.kind}`,
                bar.inside && "timeline-inside",
                bar.failed && "timeline-failed",
              )}
              aria-expanded={bar.seq === event}
              onClick={() => onEvent(bar.seq === event ? null : bar.seq)}
              title={[kinds[bar.kind], bar.name, bar.model, nameOf(bar.node)].filter(Boolean).join(" · ")}
            >
              <span className="timeline-kind">{kinds[bar.kind]}</span>
              <span className="timeline-name cut">
                {bar.kind === "action" ? nameOf(bar.node) : visible(bar.name || nameOf(bar.node))}
              </span>
              <span className="timeline-track">
                <span style={{ left: place(bar.from), width: place(bar.seconds) }} />
              </span>
              <span className="timeline-time">{say.seconds(secondsText(bar.seconds))}</span>
            </button>
          </li>
        ))}
      </ol>
      <MoreButton more={bars.length > most ? () => setMost(most + SHOWN) : null} />
    </section>
  );
}
