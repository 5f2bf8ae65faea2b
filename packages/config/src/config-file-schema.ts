import { z } from "zod";
import { CONFIG_FILE_NAME } from "./gather-settings.ts";
import { settingKeys, settingNotes, settingsSchema } from "./settings.ts";

/** The JSON schema of `quarry.config.json`, for editors; made from the schema that checks it. */
export function makeConfigFileSchema(): unknown {
  const { properties, ...rest } = z.toJSONSchema(settingsSchema, { io: "input" });
  const secrets = settingKeys.filter((key) => settingNotes[key].secret !== undefined);
  const fileOf = (key: string): unknown => ({ type: "string", description: `File that holds ${key}.` });
  return {
    ...rest,
    title: CONFIG_FILE_NAME,
    properties: {
      $schema: { type: "string" },
      ...properties,
      ...Object.fromEntries(secrets.map((key) => [`${key}File`, fileOf(key)])),
    },
  };
}
