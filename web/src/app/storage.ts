// What the browser keeps for the app. A browser may keep nothing: storage can be blocked, or full. Then a value is known as
// long as the page is open, and everything works.

export interface Storehouse {
  get(key: string): string | null;
  /** Keeps a value; null removes it. */
  set(key: string, value: string | null): void;
}

/** `storage` is asked for each time, since a browser that blocks it refuses even that. */
export function storehouse(storage: () => Storage): Storehouse {
  const unkept = new Map<string, string | null>();
  return {
    get(key) {
      const known = unkept.get(key);
      if (known !== undefined) return known;
      try {
        return storage().getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        if (value === null) storage().removeItem(key);
        else storage().setItem(key, value);
        unkept.delete(key);
      } catch {
        unkept.set(key, value);
      }
    },
  };
}

/** Kept for good. */
export const kept = storehouse(() => localStorage);

/** Kept until the tab is closed. */
export const keptByTab = storehouse(() => sessionStorage);
