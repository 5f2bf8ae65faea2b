import type { ConfigValues, SettingKey } from "./settings.ts";
import { isLoopbackHost } from "./value-schemas.ts";

/** Settings that are fine alone and refused together. */
export interface ConfigConflict {
  readonly keys: readonly SettingKey[];
  readonly sentence: string;
}

/** Every conflict among `values`; `nameOf` is how the person wrote a setting. */
export function findConflicts(values: ConfigValues, nameOf: (key: SettingKey) => string): readonly ConfigConflict[] {
  const conflicts: ConfigConflict[] = [];
  if (values.auth === "none" && !isLoopbackHost(values.host)) {
    conflicts.push({
      keys: ["auth", "host"],
      sentence:
        `${nameOf("auth")} is "none" while ${nameOf("host")} is "${values.host}"; ` +
        "without keys the server may listen on loopback only: expected host 127.0.0.1, ::1 or localhost, or auth key",
    });
  }
  if (values.role !== "all" && values.databaseUrl === undefined) {
    conflicts.push({
      keys: ["role", "databaseUrl"],
      sentence:
        `${nameOf("role")} is "${values.role}" without ${nameOf("databaseUrl")}; ` +
        "one process owns the embedded database: expected a PostgreSQL address that the processes share, or role all",
    });
  }
  return conflicts;
}
