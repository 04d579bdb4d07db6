// Dark or light, or the setting of the system; the choice is stored.

import { createSetting } from "./store";

const system = matchMedia("(prefers-color-scheme: light)");
const print = matchMedia("print");
export const theme = createSetting("theme", ["system", "dark", "light"] as const, "system");

export const shownTheme = (): "dark" | "light" => {
  const chosen = theme.get();
  return chosen === "system" ? (system.matches ? "light" : "dark") : chosen;
};

/** Light instead of dark colours, or the reverse; the colours of the system follow the system again. */
export function changeTheme(): void {
  const wanted = shownTheme() === "dark" ? "light" : "dark";
  theme.set(wanted === (system.matches ? "light" : "dark") ? "system" : wanted);
}

function apply(): void {
  // Paper is white.
  document.documentElement.dataset.theme = print.matches ? "light" : shownTheme();
}

export function followTheme(): void {
  theme.subscribe(apply);
  system.addEventListener("change", apply);
  print.addEventListener("change", apply);
  apply();
}
