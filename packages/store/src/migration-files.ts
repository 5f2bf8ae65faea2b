import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";

/** One numbered SQL file. */
export interface MigrationFile {
  readonly version: number;
  /** The file's name without ".sql", such as "0001_events". */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text with LF line ends, so that a checkout on Windows is the same migration. */
  readonly checksum: string;
}

/** Reads the migrations of `directory` in order of their numbers. Throws when a name is malformed or a number is used twice. */
export async function readMigrationFiles(directory: string): Promise<readonly MigrationFile[]> {
  const names = (await listDirectory(directory)).filter((name) => name.endsWith(".sql")).sort();
  const files = await Promise.all(names.map((name) => readMigrationFile(directory, name)));
  for (const [index, file] of files.entries()) {
    const before = files[index - 1];
    if (before?.version === file.version) {
      throw new AppError("internal", `migrations ${before.name} and ${file.name} have the same number: renumber one`);
    }
  }
  return files;
}

async function listDirectory(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (cause) {
    throw new AppError("internal", `the migrations directory ${directory} cannot be read: install again`, { cause });
  }
}

async function readMigrationFile(directory: string, fileName: string): Promise<MigrationFile> {
  const [, number] = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(fileName) ?? [];
  if (number === undefined) {
    throw new AppError("internal", `migration ${fileName}: a migration is named NNNN_name.sql, in lower case`);
  }
  const sql = (await readFile(path.join(directory, fileName), "utf8")).replaceAll("\r\n", "\n");
  return {
    version: Number(number),
    name: fileName.slice(0, -".sql".length),
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
  };
}
