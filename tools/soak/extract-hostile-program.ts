import { HOSTILE_PAGES, MAX_HOSTILE_MS } from "./extract-hostile.ts";
import { tryPage } from "./try-page.ts";

// Extracts every hostile page in a process of its own, and prints what was wrong as a JSON list.
const violations: string[] = [];
for (const [name, make] of HOSTILE_PAGES) {
  const { problem } = tryPage(make(), MAX_HOSTILE_MS);
  if (problem !== undefined) violations.push(`${name}: ${problem}`);
}
process.stdout.write(JSON.stringify(violations));
