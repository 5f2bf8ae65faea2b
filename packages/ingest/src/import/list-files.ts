import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";

/** A file to import. */
export interface FileToImport {
  readonly path: string;
  /** Under what it is known below the base address: with the name of the folder that was given, by slashes. */
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
  const name = path.basename(absolute);
  if (facts.isDirectory()) yield* listBelow(absolute, name);
  else yield { path: absolute, name, isNamed: true };
}

async function* listBelow(folder: string, name: string): AsyncGenerator<FileToImport> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith(".")) continue;
    const below = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* listBelow(below, `${name}/${entry.name}`);
    else if (entry.isFile()) yield { path: below, name: `${name}/${entry.name}`, isNamed: false };
  }
}
