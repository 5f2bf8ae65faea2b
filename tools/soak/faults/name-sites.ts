import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";

/** Names places of bundles by the source they came from, as in `rename packages/store/src/blobs/x.ts:36`. */
export function nameSites(): (site: string) => string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string): SourceMap | undefined => {
    if (!maps.has(file)) {
      const source = `${file}.map`;
      const map = existsSync(source)
        ? new SourceMap(JSON.parse(readFileSync(source, "utf8")) as SourceMapPayload)
        : undefined;
      maps.set(file, map);
    }
    return maps.get(file);
  };
  return (site) => {
    const [, call = site, file = "", line, column] = /^(\S+) (\/.+):(\d+):(\d+)$/.exec(site) ?? [];
    if (file === "") return site;
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry))
      return `${call} ${path.relative(process.cwd(), file)}:${line ?? ""}`;
    const source = path.relative(process.cwd(), path.resolve(path.dirname(file), entry.originalSource));
    return `${call} ${source}:${entry.originalLine + 1}`;
  };
}
