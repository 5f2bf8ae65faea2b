import type { JsonObject } from "@bufbuild/protobuf";
import { diffTexts, toFileDiff } from "../edits/file-diff.ts";
import type { Contents, EditHistory } from "../workspace/edit-history.ts";
import { isWithin, toRelative } from "../workspace/resolve-path.ts";
import { decodeText } from "../workspace/text-file.ts";

/** How many files a task's result names. */
const MAX_FILES = 200;

/** What a sub-agent's session changed, file by file, as FixLintsResult.FileResult; what was changed and changed back is left out. */
export async function listFileResults(
  history: Pick<EditHistory, "list" | "read">,
  sessionId: string,
  roots: readonly string[],
): Promise<readonly JsonObject[]> {
  const files = new Map<string, { readonly before: Contents; readonly after: Contents }>();
  for (const { absolute, before, after } of await history.list(sessionId)) {
    files.set(absolute, { before: files.get(absolute)?.before ?? before, after });
  }
  const results: JsonObject[] = [];
  for (const [absolute, { before, after }] of [...files].slice(0, MAX_FILES)) {
    const [old, changed] = await Promise.all([textOf(history, before), textOf(history, after)]);
    if (old === changed) continue;
    const root = roots.find((each) => isWithin(each, absolute));
    results.push({
      filePath: root === undefined ? absolute : toRelative(root, absolute),
      diff: toFileDiff(diffTexts(old, changed)),
      isApplied: true,
    });
  }
  return results;
}

async function textOf(history: Pick<EditHistory, "read">, contents: Contents): Promise<string> {
  if (contents.kind === "nothing") return "";
  if (contents.kind === "link") return `link to ${contents.target}`;
  const bytes = await history.read(contents.contentId);
  return decodeText(bytes)?.text ?? `${bytes.length} bytes that are no text (${contents.contentId})`;
}
