export { describeConfig } from "./describe-config.ts";
export type { ConfigRow } from "./describe-config.ts";
export { CONFIG_FILE_NAME } from "./gather-settings.ts";
export type { ConfigSources } from "./gather-settings.ts";
export { loadConfig } from "./load-config.ts";
export type { Config } from "./load-config.ts";
export type { ConfigValues, SettingKey } from "./settings.ts";
export { isLoopbackHost } from "./value-schemas.ts";
