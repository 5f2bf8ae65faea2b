/** A node of JSON-LD: any object with fields, as the page wrote it. */
export type JsonLdItem = Readonly<Record<string, unknown>>;

const MAX_NODES = 2_000;

/** Reads one JSON-LD script: its top-level items, `@graph` unfolded. What cannot be read gives none. */
export function parseJsonLd(source: string): readonly JsonLdItem[] {
  const value = parseLoosely(source);
  const items: JsonLdItem[] = [];
  const queue: unknown[] = [value];
  for (let at = 0; at < queue.length && at < MAX_NODES; at += 1) {
    const next = queue[at];
    if (Array.isArray(next)) queue.push(...(next as unknown[]).slice(0, MAX_NODES));
    else if (isItem(next)) {
      const graph = next["@graph"];
      if (Array.isArray(graph)) queue.push(...(graph as unknown[]).slice(0, MAX_NODES));
      if (next["@type"] !== undefined || graph === undefined) items.push(next);
    }
  }
  return items;
}

/** The types of an item, without the vocabulary's address. */
export function typesOf(item: JsonLdItem): readonly string[] {
  const type = item["@type"];
  const types: readonly unknown[] = Array.isArray(type) ? (type as unknown[]) : [type];
  return types.filter((one) => typeof one === "string").map((one) => one.replace(/^.*[/#:]/, ""));
}

/** The first text in a value: itself, its `name` or `@value`, or that of its first element. */
export function firstText(value: unknown, ...keys: readonly string[]): string | undefined {
  let current = value;
  for (let depth = 0; depth < 8; depth += 1) {
    if (typeof current === "string") return current.trim() === "" ? undefined : current.trim();
    if (typeof current === "number") return String(current);
    if (Array.isArray(current)) current = (current as unknown[])[0];
    else if (isItem(current)) {
      const item: JsonLdItem = current;
      const key = [...keys, "name", "@value"].find((one) => item[one] !== undefined);
      if (key === undefined) return undefined;
      current = item[key];
    } else return undefined;
  }
  return undefined;
}

/** Whether a value is a JSON object. */
export function isItem(value: unknown): value is JsonLdItem {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON as pages write it: in comments or CDATA, with comments, raw line breaks and trailing commas. */
function parseLoosely(source: string): unknown {
  const trimmed = source
    .replace(/^\s*(?:\/\*\s*)?<!.CDATA.(?:\s*\*\/)?|(?:\/\*\s*)?\]\]>(?:\s*\*\/)?\s*$/g, "")
    .trim()
    .replace(/^<!--(?=\s*[[{])/, "");
  const inner = trimmed.endsWith("-->") ? trimmed.slice(0, -3).trimEnd() : trimmed;
  const bare = (/[\]}]$/.test(inner.slice(-1)) ? inner : trimmed).replace(/;$/, "");
  for (const attempt of [() => bare, () => mendJson(bare)]) {
    try {
      return JSON.parse(attempt()) as unknown;
    } catch {
      continue; // broken JSON is common; the next attempt mends the usual faults
    }
  }
  return undefined;
}

/** A string that does not end goes on to the end of the text: looked for anew at each quote it would take forever. */
const STRING_OR_FAULT =
  /"(?:[^"\\]|\\[^]?)*(?:"|$)|<!--[^]*?(?:-->|$)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|,(?=\s*[}\]])|;\s*$/g;

/** Raw control characters in strings are escaped; comments and trailing commas outside of them go. */
function mendJson(json: string): string {
  return json.replace(STRING_OR_FAULT, (found) =>
    found.startsWith('"') ? found.replace(/[\u0000-\u001f]/g, (control) => CONTROLS.get(control) ?? " ") : " ",
  );
}

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
