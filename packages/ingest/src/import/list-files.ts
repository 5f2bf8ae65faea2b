import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";

/** A file to import. */
export interface FileToImport {
  readonly path: string;
  /** The name of the folder that was given, when it lies in one. */
  readonly folder: string | undefined;
  /** Its path below that folder, by slashes; of a file that was given, its name. */
  readonly name: string;
  /** Named itself, rather than found in a folder: what it is cannot be passed over in silence. */
  readonly isNamed: boolean;
}

/**
 * The files of a path: itself, or all below a folder, in the order of their names. Hidden ones, and links to elsewhere,
 * are left out. Throws `not_found` when there is nothing of that name.
 */
export async function* listFiles(given: string): AsyncGenerator<FileToImport> {
  const absolute = path.resolve(given);
  const facts = await stat(absolute).catch((cause: unknown) => {
    throw new AppError("not_found", `${given} cannot be read; is the name right?`, { cause });
  });
  const base = path.basename(absolute);
  if (facts.isDirectory()) yield* listBelow(absolute, base, "");
  else yield { path: absolute, folder: undefined, name: base, isNamed: true };
}

async function* listBelow(place: string, folder: string, prefix: string): AsyncGenerator<FileToImport> {
  const entries = await readdir(place, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith(".")) continue;
    const below = path.join(place, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* listBelow(below, folder, `${name}/`);
    else if (entry.isFile()) yield { path: below, folder, name, isNamed: false };
  }
}
