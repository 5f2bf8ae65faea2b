import path from "node:path";
import { nearestName } from "@quarry/base";
import { settingKeys, settingNotes, toEnvironmentName } from "./settings.ts";
import type { SettingKey, SettingNotes } from "./settings.ts";

/** The configuration file's name; it is looked for in the working directory. */
export const CONFIG_FILE_NAME = "quarry.config.json";

/** Where configuration comes from; nothing here is read behind the caller's back. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory: relative paths and the configuration file are looked up from it. */
  readonly cwd: string;
  /** Reads a whole text file or throws; `code: "ENOENT"` on the error says that there is none. */
  readonly readFile: (filePath: string) => string;
}

/** One value as its source gave it. `name` is what the person wrote, `origin` what they are told. */
export interface GivenValue {
  readonly name: string;
  readonly origin: string;
  readonly value: unknown;
}

/** A sentence on what is wrong; `key` is the setting that has no usable value because of it. */
export interface ConfigProblem {
  readonly sentence: string;
  readonly key?: SettingKey;
}

/** All values given, by setting, and what was wrong with how they were given. */
export interface GatheredSettings {
  readonly given: ReadonlyMap<SettingKey, GivenValue>;
  readonly problems: readonly ConfigProblem[];
}

/** Collects what environment and file give, the environment first; values are not checked yet, names are. */
export function gatherSettings(sources: ConfigSources): GatheredSettings {
  const file = readConfigFile(sources);
  const layers = [environmentLayer(sources), fileLayer(sources, file.entries)];
  const given = new Map<SettingKey, GivenValue>();
  for (const layer of layers.toReversed()) for (const [key, value] of layer.given) given.set(key, value);
  return { given, problems: [...file.problems, ...layers.flatMap((layer) => layer.problems)] };
}

/** One source of named values, with its own way to write names and texts. */
interface Layer {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly nameOf: (key: SettingKey) => string;
  readonly fileNameOf: (key: SettingKey) => string;
  readonly label: (name: string) => string;
  readonly originOf: (name: string) => string;
  readonly toValue: (value: unknown, notes: SettingNotes) => unknown;
}

function environmentLayer(sources: ConfigSources): GatheredSettings {
  return gatherLayer(sources, {
    entries: Object.entries(sources.env).filter(([name]) => name.startsWith("QUARRY_")),
    nameOf: toEnvironmentName,
    fileNameOf: (key) => `${toEnvironmentName(key)}_FILE`,
    label: (name) => name,
    originOf: (name) => `env ${name}`,
    toValue: (value, notes) => (typeof value === "string" ? parseText(value, notes.form) : value),
  });
}

function fileLayer(sources: ConfigSources, entries: Layer["entries"]): GatheredSettings {
  return gatherLayer(sources, {
    entries: entries.filter(([name]) => name !== "$schema"),
    nameOf: (key) => key,
    fileNameOf: (key) => `${key}File`,
    label: (name) => `${CONFIG_FILE_NAME}: ${name}`,
    originOf: () => `file ${CONFIG_FILE_NAME}`,
    toValue: (value) => value,
  });
}

function gatherLayer(sources: ConfigSources, layer: Layer): GatheredSettings {
  const entries = new Map(layer.entries.filter(([, value]) => value !== undefined && value !== ""));
  const given = new Map<SettingKey, GivenValue>();
  const problems: ConfigProblem[] = [];
  const known: string[] = [];
  for (const key of settingKeys) {
    const notes = settingNotes[key];
    const name = layer.nameOf(key);
    const fileName = notes.secret === undefined ? undefined : layer.fileNameOf(key);
    known.push(name, ...(fileName === undefined ? [] : [fileName]));
    const hasFile = fileName !== undefined && entries.has(fileName);
    if (hasFile && entries.has(name)) {
      const names = `${layer.label(name)} and ${layer.label(fileName)}`;
      problems.push({ key, sentence: `${names} are both set; expected one of them` });
    } else if (hasFile) {
      const secret = readSecret(sources, layer.label(fileName), entries.get(fileName));
      if ("problem" in secret) problems.push({ key, sentence: secret.problem });
      else given.set(key, { name: layer.label(fileName), origin: layer.originOf(fileName), value: secret.text });
    } else if (entries.has(name)) {
      const value = layer.toValue(entries.get(name), notes);
      given.set(key, { name: layer.label(name), origin: layer.originOf(name), value });
    }
  }
  for (const name of entries.keys()) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known) ?? "another";
    problems.push({ sentence: `${layer.label(name)} is not a setting; did you mean ${nearest}?` });
  }
  return { given, problems };
}

/** The environment has texts only; what cannot be read stays a text, for the schema to refuse. */
function parseText(text: string, form: SettingNotes["form"]): unknown {
  const trimmed = text.trim();
  switch (form) {
    case "text":
      return text;
    case "number":
      return /^\d+$/.test(trimmed) ? Number(trimmed) : text;
    case "flag":
      if (/^(1|true|yes|on)$/i.test(trimmed)) return true;
      return /^(0|false|no|off)$/i.test(trimmed) ? false : text;
    case "list":
      return trimmed
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
  }
}

function readSecret(
  sources: ConfigSources,
  label: string,
  filePath: unknown,
): { readonly text: string } | { readonly problem: string } {
  if (typeof filePath !== "string") return { problem: `${label}: expected the path of a file that holds the secret` };
  try {
    const text = sources.readFile(path.resolve(sources.cwd, filePath)).replace(/\r?\n$/, "");
    return text === "" ? { problem: `${label}: ${filePath} is empty; expected the secret on one line` } : { text };
  } catch (error) {
    return {
      problem: `${label}: ${filePath} cannot be read (${reasonOf(error)}); expected a file that holds the secret`,
    };
  }
}

function readConfigFile(sources: ConfigSources): {
  readonly entries: Layer["entries"];
  readonly problems: readonly ConfigProblem[];
} {
  let text: string;
  try {
    text = sources.readFile(path.join(sources.cwd, CONFIG_FILE_NAME));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { entries: [], problems: [] };
    return { entries: [], problems: [{ sentence: `${CONFIG_FILE_NAME} cannot be read (${reasonOf(error)})` }] };
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { entries: Object.entries(value), problems: [] };
    }
    return {
      entries: [],
      problems: [{ sentence: `${CONFIG_FILE_NAME} is not an object; expected { "port": 7700, … }` }],
    };
  } catch (error) {
    return { entries: [], problems: [{ sentence: `${CONFIG_FILE_NAME} is not JSON: ${messageOf(error)}` }] };
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? messageOf(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
