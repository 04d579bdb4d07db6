// Dark or light, or what the system says; the choice is kept.

import { createSetting } from "./store";

const system = matchMedia("(prefers-color-scheme: light)");
export const theme = createSetting("theme", ["system", "dark", "light"] as const, "system");

export const shownTheme = (): "dark" | "light" => {
  const chosen = theme.get();
  return chosen === "system" ? (system.matches ? "light" : "dark") : chosen;
};

function apply(): void {
  document.documentElement.dataset.theme = shownTheme();
}

export function followTheme(): void {
  theme.subscribe(apply);
  system.addEventListener("change", apply);
  apply();
}
