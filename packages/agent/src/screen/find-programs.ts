import { accessSync, constants } from "node:fs";
import path from "node:path";
import type { DesktopPrograms } from "./desktop.ts";

/** The programs of a desktop, as far as they are on the search path. */
export function findDesktopPrograms(searchPath: string): DesktopPrograms {
  const directories = searchPath.split(path.delimiter).filter((directory) => directory !== "");
  const find = (name: string): string | undefined =>
    directories.map((directory) => path.join(directory, name)).find(isProgram);
  return { xvfb: find("Xvfb"), xdotool: find("xdotool"), ffmpeg: find("ffmpeg") };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not to be run
  }
}
