import { readFileSync, statSync } from "node:fs";

/** A file changed later than this before it is read may change again without its times telling: it is not kept. */
const YOUNG_MS = 100;

/**
 * Reads small files of the owner's, each parsed once for every version of it; undefined for one that is not there.
 * `parse` gets undefined for one that cannot be read. Every call looks at them, so this does not go through
 * the thread pool: looking takes microseconds, a thread's turn a tenth of a millisecond and more.
 */
export function keepOwnerFiles<T>(
  parse: (text: string | undefined, path: string) => T,
): (path: string) => T | undefined {
  const kept = new Map<string, { readonly version: string; readonly content: T }>();
  return (path) => {
    const found = lookAt(path);
    if (found === "missing") return undefined;
    if (found === "unreadable") return parse(undefined, path);
    const known = kept.get(path);
    if (known?.version === found.version) return known.content;
    const text = readText(path);
    const content = parse(text, path);
    if (text === undefined || found.isYoung) kept.delete(path);
    else kept.set(path, { version: found.version, content });
    return content;
  };
}

function lookAt(path: string): { readonly version: string; readonly isYoung: boolean } | "missing" | "unreadable" {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return "missing";
    const { ino, size, mtimeNs, ctimeNs, ctimeMs } = found;
    return { version: [ino, size, mtimeNs, ctimeNs].join(" "), isYoung: Date.now() - Number(ctimeMs) < YOUNG_MS };
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOTDIR" ? "missing" : "unreadable";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // the caller says so
  }
}
