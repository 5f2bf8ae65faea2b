import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** What a disk without room says. */
export function noSpaceLeft(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", errno: -28 });
}

/**
 * Runs `work` on a disk that has room for half of what is next appended to a file, or, with `call`, none for that call;
 * then there is room again.
 */
export async function withFullDisk<T>(
  work: () => Promise<T>,
  call: "appendFile" | "mkdirSync" | "writeFileSync" = "appendFile",
): Promise<T> {
  const { appendFile } = fs.promises;
  const { mkdirSync, writeFileSync } = fs;
  const refuse = (): never => {
    throw noSpaceLeft();
  };
  if (call === "mkdirSync") fs.mkdirSync = refuse;
  if (call === "writeFileSync") fs.writeFileSync = refuse;
  if (call === "appendFile") {
    fs.promises.appendFile = async (file, data) => {
      const bytes = Buffer.from(data as Uint8Array);
      await appendFile(file, bytes.subarray(0, bytes.length / 2));
      throw noSpaceLeft();
    };
  }
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs.promises.appendFile = appendFile;
    Object.assign(fs, { mkdirSync, writeFileSync });
    syncBuiltinESMExports();
  }
}
