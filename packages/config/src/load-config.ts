import path from "node:path";
import { AppError, nearestName } from "@quarry/base";
import { findConflicts } from "./find-conflicts.ts";
import { gatherSettings } from "./gather-settings.ts";
import type { ConfigProblem, ConfigSources, GivenValue } from "./gather-settings.ts";
import { redactUrls } from "./redact.ts";
import { settingKeys, settingNotes, settingsSchema, toEnvironmentName } from "./settings.ts";
import type { ConfigValues, SettingKey } from "./settings.ts";
import { isDirectoryPlace } from "./value-schemas.ts";

/** All settings, checked, with paths absolute; `origins` says where each value came from. */
export interface Config extends ConfigValues {
  readonly origins: Readonly<Record<SettingKey, string>>;
}

/**
 * Reads the whole configuration: environment, then `quarry.config.json`, then
 * defaults; an empty text is as good as none. Throws one `invalid_request` that
 * lists every problem, a line each, so that nobody has to fix them one by one.
 */
export function loadConfig(sources: ConfigSources): Config {
  const gathered = gatherSettings(sources);
  const checked = checkValues(gathered.given);
  const problems = [...gathered.problems, ...checked.problems];
  const unusable = problems.map(({ key }) => key);
  const values = withAbsolutePaths(checked.values, sources.cwd);
  const nameOf = (key: SettingKey): string => gathered.given.get(key)?.name ?? toEnvironmentName(key);
  const conflicts = findConflicts(values, nameOf).filter(({ keys }) => !keys.some((key) => unusable.includes(key)));

  const sentences = [...problems, ...conflicts].map(({ sentence }) => sentence);
  if (sentences.length > 0) {
    const lines = sentences.map((sentence) => `  - ${sentence}`).join("\n");
    throw new AppError("invalid_request", `The configuration cannot be used:\n${lines}`, {
      details: { problems: sentences },
    });
  }
  const origins = mapSettings((key) => gathered.given.get(key)?.origin ?? "default");
  return Object.freeze({ ...values, origins });
}

/** The values that pass the schema, defaults in place of the others, and a problem for each that does not. */
function checkValues(given: ReadonlyMap<SettingKey, GivenValue>): {
  readonly values: ConfigValues;
  readonly problems: readonly ConfigProblem[];
} {
  const raw = new Map([...given].map(([key, { value }]) => [key, value] as const));
  const parsed = settingsSchema.safeParse(Object.fromEntries(raw));
  if (parsed.success) return { values: parsed.data, problems: [] };
  const places = new Map(parsed.error.issues.map((issue) => [issue.path.join("."), issue.path] as const));
  const problems = [...places.values()].map((place) => describeProblem(given, place));
  for (const { key } of problems) raw.delete(key);
  return { values: settingsSchema.parse(Object.fromEntries(raw)), problems };
}

/** A sentence on one refused value; `place` is its key, and its index when it is part of a list. */
function describeProblem(
  given: ReadonlyMap<SettingKey, GivenValue>,
  place: readonly PropertyKey[],
): ConfigProblem & { readonly key: SettingKey } {
  const key = settingKeys.find((candidate) => candidate === place[0]);
  if (key === undefined) throw new AppError("internal", `no setting named ${place.join(".")}`);
  const { expects, secret, choices } = settingNotes[key];
  const whole = given.get(key);
  const index = place[1];
  const value =
    Array.isArray(whole?.value) && typeof index === "number" ? (whole.value[index] as unknown) : whole?.value;
  const shown = secret === undefined ? `is ${quote(value)}` : "has a value that cannot be used";
  const nearest = choices !== undefined && typeof value === "string" ? nearestName(value, choices) : undefined;
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return { key, sentence: `${whole?.name ?? toEnvironmentName(key)} ${shown}; expected ${expects}${hint}` };
}

const MAX_QUOTED_CHARACTERS = 80;

function quote(value: unknown): string {
  const text = redactUrls(JSON.stringify(value));
  return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
}

function withAbsolutePaths(values: ConfigValues, cwd: string): ConfigValues {
  const absolute = (place: string): string => (isDirectoryPlace(place) ? path.resolve(cwd, place) : place);
  return {
    ...values,
    dataDir: path.resolve(cwd, values.dataDir),
    evalData: path.resolve(cwd, values.evalData),
    browserPath: values.browserPath === undefined ? undefined : path.resolve(cwd, values.browserPath),
    mcpConfig: values.mcpConfig === undefined ? undefined : path.resolve(cwd, values.mcpConfig),
    workspaceRoots: values.workspaceRoots.map((root) => path.resolve(cwd, root)),
    indexUrl: values.indexUrl === undefined ? undefined : absolute(values.indexUrl),
    blobUrl: values.blobUrl === undefined ? undefined : absolute(values.blobUrl),
  };
}

function mapSettings(toText: (key: SettingKey) => string): Record<SettingKey, string> {
  return Object.fromEntries(settingKeys.map((key) => [key, toText(key)])) as Record<SettingKey, string>;
}
