import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";

/** Below a workspace's root; git is told to leave it alone. */
const OUTPUT_DIRECTORY = ".quarry-output";

/** Keeps bytes in the workspace, where file tools can read them; returns the path below its root. */
export async function keepOutput(
  of: { readonly root: string; readonly toolCallId: string },
  output: { readonly index: number; readonly extension: string; readonly bytes: Buffer },
): Promise<string> {
  const directory = path.join(of.root, OUTPUT_DIRECTORY);
  await mkdir(directory, { recursive: true });
  const ignoreFile = path.join(directory, ".gitignore");
  const isIgnored = await stat(ignoreFile).then(
    () => true,
    () => false, // then it is written
  );
  if (!isIgnored) await writeFile(ignoreFile, "*\n");
  const name = `${of.toolCallId.replaceAll(/[^\w-]/g, "_").slice(0, 80)}-${output.index}.${output.extension}`;
  await writeFile(path.join(directory, name), output.bytes);
  return `${OUTPUT_DIRECTORY}/${name}`;
}
