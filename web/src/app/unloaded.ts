// Files of the app that could not be loaded, such as those of a pane. A browser does not fetch a module again that
// failed, so that only a reload of the page tries again.

const unloaded = new WeakSet<object>();

export const noteUnloaded = (error: unknown): void => {
  if (typeof error === "object" && error !== null) unloaded.add(error);
};

export const isUnloaded = (error: unknown): boolean =>
  typeof error === "object" && error !== null && unloaded.has(error);

window.addEventListener("vite:preloadError", (event) => noteUnloaded(event.payload));
