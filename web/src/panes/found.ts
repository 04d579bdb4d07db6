// The search of the palette in the panes: a pane with a file `find.ts` searches its own things, such as nodes of the
// graph.

export interface Found {
  /** Unique among those of its pane. */
  id: string;
  title: string;
  note: string;
  hash: string;
}

interface Finder {
  /** The first things that fit the words, the best first. */
  find(words: string, most: number): Promise<Found[]>;
}

const finders = import.meta.glob<Finder>("./*/find.ts");

/** Whether a built-in pane searches its things. */
export const hasFinder = (pane: string): boolean => `./${pane}/find.ts` in finders;

export async function findIn(pane: string, words: string, most: number): Promise<Found[]> {
  const load = finders[`./${pane}/find.ts`];
  return load ? (await load()).find(words, most) : [];
}
