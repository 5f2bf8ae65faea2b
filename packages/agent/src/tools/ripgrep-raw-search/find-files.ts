import { MAX_FILES } from "../../workspace/list-files.ts";
import { bare } from "../../workspace/ripgrep-json.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { fileArgs, orderOf, patternArgs, placeArg, type Search } from "./search-args.ts";
import { startFileOrder } from "./sort-files.ts";

/** Files with a match, and how many each has when they are counted. */
export interface FoundFiles {
  readonly files: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  /** There are more than a search looks at. */
  readonly isCut: boolean;
}

/**
 * The files with a match that tools may see, in order. Ripgrep would sort by giving
 * up its threads, so it names them as it finds them, and they are sorted here.
 * `onFound` hears how many there are so far.
 */
export async function findFiles(
  deps: Pick<WorkspaceDeps, "protectedPaths" | "ripgrep">,
  asked: Search,
  signal: AbortSignal,
  onFound: (count: number) => void = () => undefined,
): Promise<FoundFiles> {
  const { place, mode } = asked;
  const isCounting = mode === "count";
  const found: string[] = [];
  const counts = new Map<string, number>();
  const inOrder = startFileOrder(place.root, orderOf(asked));
  const { isCut } = await deps.ripgrep(
    {
      cwd: place.root,
      args: [
        ...fileArgs(asked),
        ...(isCounting ? ["--count-matches", "--with-filename", "--null"] : ["--files-with-matches"]),
        ...patternArgs(asked),
        "--",
        placeArg(asked),
      ],
    },
    (line) => {
      const [name = "", count = "1"] = isCounting ? line.split("\0") : [line];
      const file = bare(name);
      found.push(file);
      inOrder.add(file);
      if (isCounting) counts.set(file, Number(count));
      onFound(found.length);
      return found.length < MAX_FILES;
    },
    signal,
  );
  const shown = await deps.protectedPaths.withoutHidden(place.root, found);
  return { files: await inOrder.sort(shown), counts, isCut };
}
