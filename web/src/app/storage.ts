// The storage of the browser. It may be blocked or full; then a value is known until the page is closed, and everything
// works.

export interface Storehouse {
  get(key: string): string | null;
  /** Stores a value; null removes it. */
  set(key: string, value: string | null): void;
  /** Removes everything. */
  forget(): void;
}

/** `storage` is called each time, because a browser that blocks it even throws on access. */
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
    forget() {
      unkept.clear();
      try {
        storage().clear();
      } catch {
        // Nothing was stored.
      }
    },
  };
}

/** Stored permanently. */
export const kept = storehouse(() => localStorage);

/** Stored until the tab is closed. */
export const keptByTab = storehouse(() => sessionStorage);
