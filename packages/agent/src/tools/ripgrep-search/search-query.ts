import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { walkArgs } from "../../workspace/list-files.ts";
import { SECRET_GLOBS } from "../../workspace/protected-paths.ts";
import { numberOf, textOf, textsOf } from "../workspace-tool.ts";
import type { ExcludeSettings } from "./exclude-settings.ts";

/** How a match may be shown. */
export interface PreviewOptions {
  readonly maxLines: number;
  readonly maxCharactersPerLine: number;
}

/** A search in the words of an editor, read. */
export interface SearchQuery {
  readonly options: JsonObject;
  readonly pattern: JsonObject;
  readonly maxResults: number;
  readonly preview: PreviewOptions;
  /** Which parts of notebooks are searched; undefined searches them as the text they are. */
  readonly notebookParts: ReadonlySet<NotebookPart> | undefined;
}

/** The parts of a notebook that can be searched. */
export type NotebookPart = "markup-input" | "markup-preview" | "code-input" | "output";

const DEFAULT_RESULTS = 200;
const MAX_RESULTS = 5_000;
const MAX_PREVIEW_LINES = 100;
const MAX_PREVIEW_CHARACTERS = 1_000;
const MAX_CONTEXT = 100;

/** Reads the two halves of `RipgrepSearchParams`. Throws `invalid_request` without a pattern. */
export function readQuery(args: JsonObject): SearchQuery {
  const [options, pattern] = [objectOf(args, "options"), objectOf(args, "patternInfo")];
  if (textOf(pattern, "pattern") === "") {
    throw new AppError("invalid_request", "patternInfo.pattern: name what to search for");
  }
  const shown = objectOf(options, "previewOptions");
  const within = (value: number | undefined, most: number): number => Math.min(value || most, most);
  return {
    options,
    pattern,
    maxResults: Math.min(numberOf(options, "maxResults") || DEFAULT_RESULTS, MAX_RESULTS),
    preview: {
      maxLines: within(numberOf(shown, "matchLines"), MAX_PREVIEW_LINES),
      maxCharactersPerLine: within(numberOf(shown, "charsPerLine"), MAX_PREVIEW_CHARACTERS),
    },
    notebookParts: notebookPartsOf(options, pattern),
  };
}

/** What ripgrep is told of the pattern alone. */
export function patternArgs({ options, pattern }: SearchQuery): readonly string[] {
  const is = (of: JsonObject, name: string): boolean => of[name] === true;
  const text = textOf(pattern, "pattern");
  const isRegularExpression = is(pattern, "isRegExp") || is(pattern, "patternWasEscaped");
  const separators = textOf(pattern, "wordSeparators");
  const isBounded = is(pattern, "isWordMatch") && separators !== "";
  const bounded = (): string => {
    const set = `[\\s${separators.replace(/[\\\]^[-]/g, "\\$&")}]`;
    const body = isRegularExpression ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    return `(?:^|(?<=${set}))(?:${body})(?=${set}|$)`;
  };
  return [
    is(pattern, "isCaseSensitive") ? "--case-sensitive" : is(options, "isSmartCase") ? "--smart-case" : "--ignore-case",
    ...(is(pattern, "isMultiline") ? ["--multiline"] : []),
    ...(pattern["isUnicode"] === false ? ["--no-unicode"] : []),
    // Only looking around a match can tell what bounds it.
    ...(isBounded ? ["--pcre2"] : is(pattern, "isWordMatch") ? ["--word-regexp"] : []),
    ...(isRegularExpression || isBounded ? [] : ["--fixed-strings"]),
    "--regexp",
    isBounded ? bounded() : text,
  ];
}

/** What ripgrep is told of the files to search below a root. */
export function fileArgs(query: SearchQuery, root: string, excluded: ExcludeSettings): readonly string[] {
  const { options } = query;
  const is = (name: string): boolean => options[name] === true;
  const expand = is("expandPatterns") ? expandPattern : anchorPattern;
  const includes = patternsOf(objectOf(options, "includePattern")).flatMap((glob) => expand(glob, ""));
  const excludes = listOf(objectOf(options, "excludePattern"), "excludePattern").flatMap((each) =>
    patternsOf(objectOf(each, "pattern")).flatMap((glob) => expand(glob, baseOf(textOf(each, "uri"), root))),
  );
  const settings = [
    ...(is("disregardExcludeSettings") ? [] : excluded.files),
    ...(is("disregardSearchExcludeSettings") ? [] : excluded.search),
  ];
  const size = numberOf(options, "maxFileSize");
  const encoding = textOf(options, "fileEncoding");
  return [
    ...walkArgs(root),
    ...(is("disregardIgnoreFiles") ? ["--no-ignore"] : []),
    ...(is("disregardGlobalIgnoreFiles") ? ["--no-ignore-global"] : []),
    ...(is("disregardParentIgnoreFiles") ? ["--no-ignore-parent"] : []),
    // Links are followed only where that is asked for: one may lead anywhere, and what lies outside is left out later.
    ...(options["ignoreSymlinks"] === false ? ["--follow"] : []),
    ...(size === undefined || size === 0 ? [] : ["--max-filesize", String(size)]),
    ...(encoding === "" ? [] : ["--encoding", toEncoding(encoding)]),
    ...includes.flatMap((glob) => ["--glob", glob]),
    ...[...excludes, ...settings].flatMap((glob) => ["--glob", `!${glob}`]),
    // The last glob that fits decides, so that nothing above brings these back.
    ...SECRET_GLOBS.filter((secret) => !secret.startsWith("!")).flatMap((secret) => ["--iglob", `!**/${secret}`]),
    "--glob",
    "!.git",
  ];
}

/** How many lines around a match are shown. */
export function contextArgs({ options }: SearchQuery): readonly string[] {
  const context = Math.min(numberOf(options, "surroundingContext") ?? 0, MAX_CONTEXT);
  return context === 0 ? [] : ["--context", String(context)];
}

/** The files that are searched besides, as they were named; others than files are told apart. */
export function extraFiles({ options }: SearchQuery): {
  readonly files: readonly string[];
  readonly others: readonly string[];
} {
  const named = textsOf(objectOf(options, "extraFileResources"), "extraFileResources");
  const isFile = (name: string): boolean => name.startsWith("file:") || !/^[a-z][a-z0-9+.-]+:/i.test(name);
  return { files: named.filter(isFile), others: named.filter((name) => !isFile(name)) };
}

/** What is said of the parts in either half; said in both, a part must be wanted by both. */
function notebookPartsOf(options: JsonObject, pattern: JsonObject): ReadonlySet<NotebookPart> | undefined {
  const config = options["notebookSearchConfig"] === undefined ? undefined : objectOf(options, "notebookSearchConfig");
  const info = pattern["notebookInfo"] === undefined ? undefined : objectOf(pattern, "notebookInfo");
  if (config === undefined && info === undefined) return undefined;
  const parts: readonly (readonly [NotebookPart, configName: string, infoName: string])[] = [
    ["markup-input", "includeMarkupInput", "isInNotebookMarkdownInput"],
    ["markup-preview", "includeMarkupPreview", "isInNotebookMarkdownPreview"],
    ["code-input", "includeCodeInput", "isInNotebookCellInput"],
    ["output", "includeOutput", "isInNotebookCellOutput"],
  ];
  return new Set(
    parts.flatMap(([part, configName, infoName]) =>
      (config === undefined || config[configName] === true) && (info === undefined || info[infoName] === true)
        ? [part]
        : [],
    ),
  );
}

/** A pattern as it stands is meant from the root on. */
function anchorPattern(glob: string, base: string): readonly string[] {
  const plain = glob.replace(/^\.?\//, "");
  return [base === "" && plain.startsWith("**") ? plain : `/${base}${plain}`];
}

/** A person's pattern is meant anywhere, for files and for all below a directory. */
function expandPattern(glob: string, base: string): readonly string[] {
  return glob.split(",").flatMap((part) => {
    const plain = part.trim();
    if (plain === "") return [];
    if (/^\.?\//.test(plain)) return [`/${base}${plain.replace(/^\.?\//, "")}`];
    const anywhere = plain.startsWith("**/") ? plain : `**/${plain}`;
    const from = base === "" ? anywhere : `/${base}${anywhere}`;
    return from.endsWith("/**") ? [from] : [from, `${from}/**`];
  });
}

/** The directory that an exclude pattern is about, relative to the root, with a slash at its end. */
function baseOf(uri: string, root: string): string {
  if (uri === "") return "";
  const address = uri.replace(/^file:\/\//, "");
  let end = address.length;
  while (address[end - 1] === "/") end -= 1;
  const plain = address.slice(0, end);
  if (plain === root || plain === ".") return "";
  const below = plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain.replace(/^\/+/, "");
  return `${below}/`;
}

/** Editors write some names of encodings without dashes. */
function toEncoding(name: string): string {
  const plain = name.toLowerCase().replace(/^utf8(bom|-bom)?$/, "utf-8");
  return plain
    .replace(/^utf16(le|be)$/, "utf-16$1")
    .replace(/^(?:windows|cp)(\d+)$/, "windows-$1")
    .replace(/^iso8859(\d+)$/, "iso-8859-$1");
}

function patternsOf(given: JsonObject): readonly string[] {
  return [textOf(given, "pattern"), ...textsOf(given, "patterns")].filter((glob) => glob !== "");
}

function objectOf(given: JsonObject, name: string): JsonObject {
  const value = given[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(given: JsonObject, name: string): readonly JsonObject[] {
  const value = given[name];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => (typeof item === "object" && item !== null && !Array.isArray(item) ? [item] : []));
}
