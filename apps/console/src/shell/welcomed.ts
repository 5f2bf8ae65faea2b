const KEPT_AS = "quarry.welcomed";

/** Whether this browser has seen, or skipped, the guided start. */
export function isWelcomed(): boolean {
  return localStorage.getItem(KEPT_AS) !== null;
}

/** Keeps that it has. */
export function rememberWelcome(): void {
  localStorage.setItem(KEPT_AS, "yes");
}
