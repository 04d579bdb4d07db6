// Numbers over time as bars, in which a range of time is chosen: by dragging, or with the arrow keys and Enter. The
// numbers of the bar under the pointer, of the focused one, or of the chosen range are written above the bars.

import "./Histogram.css";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { clockToday, numberText, shortDay, texts, useText } from "../app/language";
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
  hint: ["Drag over a part to see it alone", "Ziehen, um nur einen Teil zu sehen"],
});

const DAY = 86_400; // seconds
const TICKS = 4; // times on the axis, the first and the last of them at its ends

const later = (time: string, seconds: number): Date => new Date(new Date(time).getTime() + seconds * 1000);

export function Histogram({ label, bars, seconds, counted, onChoose }: Props): ReactNode {
  const say = useText(words);
  const [range, setRange] = useState<[from: number, to: number] | null>(null);
  const [at, setAt] = useState(0);
  const [pointed, setPointed] = useState<number | null>(null);
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
  const nameOf = (from: number, to: number): string => {
    const part = bars.slice(from, to + 1);
    const failed = part.reduce((sum, each) => sum + each.failed, 0);
    const count = numberText(part.reduce((sum, each) => sum + each.count, 0));
    const end = later(bars[to]!.begin, seconds).toISOString();
    const name = say.bar(shortTime(bars[from]!.begin, seconds), shortTime(end, seconds), counted(count));
    return name + (failed > 0 ? say.failed(numberText(failed)) : "");
  };
  // The bars may have become fewer.
  const places = [...(range ?? (pointed === null ? [] : [pointed]))].filter((each) => each < bars.length);
  const value = places.length > 0 ? nameOf(Math.min(...places), Math.max(...places)) : "";
  const span = later(last.begin, seconds).getTime() - new Date(first.begin).getTime();
  const ticks = Array.from({ length: TICKS }, (_, index) => later(first.begin, (span * index) / (TICKS - 1) / 1000));
  return (
    <div className="histogram" role="group" aria-label={label}>
      <p className="histogram-head" aria-hidden>
        <span>{label}</span>
        <span className={classes("cut", value && "histogram-value")}>{value || say.hint}</span>
      </p>
      <span className="histogram-most" aria-hidden>
        {numberText(most)}
      </span>
      <div
        ref={row}
        className="histogram-bars"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setRange([placeOf(event.clientX), placeOf(event.clientX)]);
        }}
        onPointerMove={(event) => {
          setPointed(placeOf(event.clientX));
          if (event.buttons === 1 && range) setRange([range[0], placeOf(event.clientX)]);
        }}
        onPointerLeave={() => setPointed(null)}
        onPointerUp={() => range && choose(...range)}
        onPointerCancel={() => setRange(null)}
      >
        {bars.map(({ begin, count, failed }, place) => (
          <button
            key={begin}
            type="button"
            className={classes("histogram-bar", inRange(place) && "histogram-chosen")}
            tabIndex={place === focused ? 0 : -1}
            aria-label={nameOf(place, place)}
            onFocus={() => {
              setAt(place);
              setPointed(place);
            }}
            onBlur={() => setPointed(null)}
            onKeyDown={onKeyDown}
            // A press of the pointer ends in onPointerUp.
            onClick={(event) => event.detail === 0 && choose(...(range ?? [place, place]))}
          >
            {count > failed && <span style={{ height: `${(100 * (count - failed)) / most}%` }} />}
            {failed > 0 && <span className="histogram-failed" style={{ height: `${(100 * failed) / most}%` }} />}
          </button>
        ))}
      </div>
      <p className="histogram-times" aria-hidden>
        {ticks.map((each) => (
          <span key={each.getTime()}>{shortTime(each.toISOString(), seconds)}</span>
        ))}
      </p>
    </div>
  );
}

/** A time as exactly as the bars are wide. */
const shortTime = (time: string, seconds: number): string =>
  seconds >= DAY ? shortDay(time) : clockToday(time, seconds < 60);
