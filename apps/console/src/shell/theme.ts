/** Light, dark, or as the system says. */
export type Theme = "system" | "light" | "dark";

/** Every choice, in the order in which they are shown. */
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const KEPT_AS = "quarry.theme";
const listeners = new Set<() => void>();

/** The choice kept in this browser. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Keeps a choice and shows it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEPT_AS, theme);
  showTheme();
  for (const listener of listeners) listener();
}

/** Dresses the page in the kept choice; the style sheet follows the system when there is none. */
export function showTheme(): void {
  const theme = readTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Calls `listener` whenever another theme is chosen. */
export function watchTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
