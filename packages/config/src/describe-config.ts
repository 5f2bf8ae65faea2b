import type { Config } from "./load-config.ts";
import { hideSecret, redactUrls } from "./redact.ts";
import { settingKeys, settingNotes, toEnvironmentName } from "./settings.ts";

/** One setting as people are shown it. */
export interface ConfigRow {
  /** The environment's name. */
  readonly name: string;
  /** As the environment would write it; secrets and passwords hidden; null when unset. */
  readonly value: string | null;
  readonly origin: string;
  readonly secret: boolean;
}

/** Every setting with its value and origin, fit to be printed or logged. */
export function describeConfig(config: Config): readonly ConfigRow[] {
  return settingKeys.map((key) => {
    const { secret } = settingNotes[key];
    const text = toText(config[key]);
    const value = text === null ? null : secret === "whole" ? hideSecret(text) : redactUrls(text);
    return { name: toEnvironmentName(key), value, origin: config.origins[key], secret: secret !== undefined };
  });
}

function toText(value: string | number | boolean | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "object" ? value.join(",") : String(value);
}
