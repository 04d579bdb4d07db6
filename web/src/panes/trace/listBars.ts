// The listed conversations over time, by their last update.

import type { Thread } from "../../api";
import type { Bar } from "../../ui/Histogram";

const MOST = 48; // bars
const WIDTHS = [1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400]; // seconds

export function barsOf(threads: readonly Pick<Thread, "updated" | "status">[]): { bars: Bar[]; seconds: number } {
  const times = threads.map((each) => new Date(each.updated).getTime() / 1000);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (threads.length === 0) return { bars: [], seconds: 0 };
  const seconds = WIDTHS.find((each) => (last - first) / each < MOST) ?? Math.ceil((last - first) / MOST);
  const begin = Math.floor(first / seconds) * seconds;
  const bars = Array.from({ length: Math.floor((last - begin) / seconds) + 1 }, (_, place) => ({
    begin: new Date((begin + place * seconds) * 1000).toISOString(),
    count: 0,
    failed: 0,
  }));
  times.forEach((time, index) => {
    const bar = bars[Math.floor((time - begin) / seconds)]!;
    bar.count += 1;
    if (threads[index]!.status === "failed") bar.failed += 1;
  });
  return { bars, seconds };
}
