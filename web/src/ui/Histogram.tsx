// Numbers over time as bars, in which a range of time is chosen: by dragging, or with the arrow keys and Enter.

import "./Histogram.css";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { clockToday, numberText, texts, useText } from "../app/language";
import { classes } from "./classes";

export interface Bar {
  /** When it begins. */
  begin: string;
  count: number;
  failed: number;
}

interface Props {
  label: string;
  bars: readonly Bar[];
  /** The width of a bar in seconds. */
  seconds: number;
  /** The words for a number of things. */
  counted(count: string): string;
  onChoose(since: Date, until: Date): void;
}

const words = texts({
  bar: [
    (from: string, to: string, count: string) => `${from} to ${to}: ${count}`,
    (from: string, to: string, count: string) => `${from} bis ${to}: ${count}`,
  ],
  failed: [(n: string) => `, ${n} failed`, (n: string) => `, davon ${n} fehlgeschlagen`],
  hint: ["Drag over a part of the time to see it alone", "Ziehen Sie über einen Zeitraum, um nur ihn zu sehen"],
});

const later = (time: string, seconds: number): Date => new Date(new Date(time).getTime() + seconds * 1000);

export function Histogram({ label, bars, seconds, counted, onChoose }: Props): ReactNode {
  const say = useText(words);
  const [range, setRange] = useState<[from: number, to: number] | null>(null);
  const [at, setAt] = useState(0);
  const row = useRef<HTMLDivElement>(null);
  const most = Math.max(1, ...bars.map((each) => each.count));
  const focused = Math.min(at, bars.length - 1);
  const choose = (one: number, other: number) => {
    const first = bars[Math.min(one, other)];
    const last = bars[Math.max(one, other)];
    setRange(null);
    if (first && last) onChoose(new Date(first.begin), later(last.begin, seconds));
  };
  const placeOf = (x: number): number => {
    const box = row.current!.getBoundingClientRect();
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((x - box.left) / box.width) * bars.length)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(bars.length - 1, focused + by));
    setAt(next);
    setRange(event.shiftKey ? [range?.[0] ?? focused, next] : null);
    row.current?.querySelectorAll("button")[next]?.focus();
  };
  const inRange = (place: number) => range !== null && place >= Math.min(...range) && place <= Math.max(...range);
  const first = bars[0];
  const last = bars.at(-1);
  if (!first || !last) return null;
  const end = later(last.begin, seconds).toISOString();
  return (
    <div className="histogram" role="group" aria-label={label}>
      <span className="histogram-most" aria-hidden>
        {numberText(most)}
      </span>
      <div
        ref={row}
        className="histogram-bars"
        title={say.hint}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setRange([placeOf(event.clientX), placeOf(event.clientX)]);
        }}
        onPointerMove={(event) => {
          if (event.buttons === 1 && range) setRange([range[0], placeOf(event.clientX)]);
        }}
        onPointerUp={() => range && choose(...range)}
        onPointerCancel={() => setRange(null)}
      >
        {bars.map(({ begin, count, failed }, place) => {
          const name =
            say.bar(clockToday(begin), clockToday(later(begin, seconds).toISOString()), counted(numberText(count))) +
            (failed > 0 ? say.failed(numberText(failed)) : "");
          return (
            <button
              key={begin}
              type="button"
              className={classes("histogram-bar", inRange(place) && "histogram-chosen")}
              tabIndex={place === focused ? 0 : -1}
              aria-label={name}
              title={name}
              onFocus={() => setAt(place)}
              onKeyDown={onKeyDown}
              // A press of the pointer ends in onPointerUp.
              onClick={(event) => event.detail === 0 && choose(...(range ?? [place, place]))}
            >
              {count > failed && <span style={{ height: `${(100 * (count - failed)) / most}%` }} />}
              {failed > 0 && <span className="histogram-failed" style={{ height: `${(100 * failed) / most}%` }} />}
            </button>
          );
        })}
      </div>
      <span className="histogram-times" aria-hidden>
        <span>{clockToday(first.begin)}</span>
        <span className="histogram-label cut">{label}</span>
        <span>{clockToday(end)}</span>
      </span>
    </div>
  );
}
