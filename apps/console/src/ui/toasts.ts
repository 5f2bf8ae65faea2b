/** A short message in the corner: what happened, and what to do. */
export interface Toast {
  readonly id: number;
  readonly kind: "good" | "bad";
  readonly title: string;
  readonly text?: string | undefined;
}

/** Errors stay until they are closed; the rest goes by itself. */
const GOOD_STAYS_MS = 5_000;
const MOST_AT_ONCE = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message. */
export function showToast(toast: Omit<Toast, "id">): void {
  lastId += 1;
  const id = lastId;
  const others = toasts.filter(({ title, text }) => title !== toast.title || text !== toast.text);
  change([...others, { ...toast, id }].slice(-MOST_AT_ONCE));
  if (toast.kind === "good") setTimeout(() => closeToast(id), GOOD_STAYS_MS);
}

/** Takes a message away. */
export function closeToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

/** The messages there are, for useSyncExternalStore. */
export function readToasts(): readonly Toast[] {
  return toasts;
}

/** Calls `listener` whenever a message comes or goes, until the returned function is called. */
export function watchToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
