import { HOSTILE_PAGES, MAX_HOSTILE_MS } from "./extract-hostile.ts";
import { tryPage } from "./try-page.ts";
import { HOSTILE_TEXTS, tryText } from "./try-text.ts";

// Extracts every hostile page, and reads every hostile text, in a process of its own; prints what was wrong as a JSON list.
const violations: string[] = [];
for (const [name, make] of HOSTILE_PAGES) {
  const { problem } = tryPage(make(), MAX_HOSTILE_MS);
  if (problem !== undefined) violations.push(`${name}: ${problem}`);
}
for (const [name, make] of HOSTILE_TEXTS) {
  const problem = tryText(make());
  if (problem !== undefined) violations.push(`${name}: ${problem}`);
}
process.stdout.write(JSON.stringify(violations));
