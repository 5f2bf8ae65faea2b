import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type ts from "typescript-language-service";

/** The compiler, loaded when it is first needed. */
export type Typescript = typeof ts;

/** A project and its language service. */
export interface TypescriptProject {
  readonly service: ts.LanguageService;
  /** No file says how it is compiled. */
  readonly isLoose: boolean;
  /** The text of a file as the service sees it. */
  readonly textOf: (file: string) => string;
  /** Texts that are tried in place of what is on the disk; whoever tries one takes it away. */
  readonly tried: Map<string, string>;
  /** Reads the list of files again and forgets what was resolved when it changed. Call it before every question. */
  readonly refresh: () => void;
}

/**
 * Opens the project of a `tsconfig.json` or `jsconfig.json`; without one, a project of the files that were asked
 * about. The service looks at the disk for every question, so an answer is never about contents that are gone.
 */
export function openProject(
  compiler: Typescript,
  options: { readonly config: string | undefined; readonly directory: string; readonly asked: ReadonlySet<string> },
): TypescriptProject {
  const { config, directory, asked } = options;
  const { sys } = compiler;
  let parsed = parseProject(compiler, config);
  let names = listNames(parsed, asked);
  let hasNewNames = true;
  const tried = new Map<string, string>();
  // The service reads this member of a host, although its types do not name it.
  const host: ts.LanguageServiceHost & { readonly hasInvalidatedResolutions: () => boolean } = {
    getCompilationSettings: () => parsed.options,
    getScriptFileNames: () => [...names],
    getScriptVersion: (file) => {
      const text = tried.get(file);
      return text === undefined ? versionOf(file) : createHash("sha256").update(text).digest("hex");
    },
    getScriptSnapshot: (file) => {
      const text = tried.get(file) ?? readText(file);
      return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => directory,
    getDefaultLibFileName: (settings) => compiler.getDefaultLibFilePath(settings),
    fileExists: (file) => sys.fileExists(file),
    readFile: readText,
    readDirectory: (...asked) => sys.readDirectory(...asked),
    directoryExists: (name) => sys.directoryExists(name),
    getDirectories: (name) => sys.getDirectories(name),
    realpath: (name) => sys.realpath?.(name) ?? name,
    // A file that came or went may be what an import means now.
    hasInvalidatedResolutions: () => hasNewNames,
  };
  const service = compiler.createLanguageService(host, compiler.createDocumentRegistry());
  return {
    service,
    isLoose: config === undefined,
    tried,
    textOf: (file) => service.getProgram()?.getSourceFile(file)?.text ?? readText(file) ?? "",
    refresh: () => {
      parsed = parseProject(compiler, config);
      const now = listNames(parsed, asked);
      hasNewNames = now.length !== names.length || now.some((name, at) => name !== names[at]);
      names = now;
    },
  };
}

/** The file that says how a file is compiled: the nearest above it, within the root. */
export function findConfig(compiler: Typescript, root: string, file: string): string | undefined {
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    for (const name of ["tsconfig.json", "jsconfig.json"]) {
      if (compiler.sys.fileExists(path.join(at, name))) return path.join(at, name);
    }
    if (at === root || at === path.dirname(at)) return undefined;
  }
}

/** What a file without a project is compiled by: nothing is asked of it that it could not know. */
function looseOptions(compiler: Typescript): ts.CompilerOptions {
  return {
    allowJs: true,
    target: compiler.ScriptTarget.ESNext,
    module: compiler.ModuleKind.ESNext,
    moduleResolution: compiler.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    jsx: compiler.JsxEmit.Preserve,
    skipLibCheck: true,
    noEmit: true,
  };
}

function parseProject(
  compiler: Typescript,
  config: string | undefined,
): { readonly options: ts.CompilerOptions; readonly fileNames: readonly string[] } {
  if (config === undefined) return { options: looseOptions(compiler), fileNames: [] };
  const read = compiler.readConfigFile(config, readText);
  const parsed = compiler.parseJsonConfigFileContent(
    read.config as unknown,
    compiler.sys,
    path.dirname(config),
    { noEmit: true, incremental: false, composite: false },
    config,
  );
  return { options: parsed.options, fileNames: parsed.fileNames };
}

function listNames(parsed: { readonly fileNames: readonly string[] }, asked: ReadonlySet<string>): readonly string[] {
  return [...new Set([...parsed.fileNames, ...asked])].sort();
}

/** Changes whenever a file does; the nanoseconds tell two changes within a moment apart. */
function versionOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "gone" : `${found.mtimeNs} ${found.ctimeNs} ${found.size}`;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch {
    return undefined; // the compiler says what it misses
  }
}
