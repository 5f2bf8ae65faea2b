import { requirements } from "../requirement.ts";

/** What the config part promises. */
export const configRequirements = requirements({
  "design conventions": {
    "config:variables:known-names": "every QUARRY_ variable of the design is known and optional",
    "config:variables:file-form": "a secret can be given as NAME_FILE with the path of its file",
    "config:variables:both-forms-refused": "a variable and its _FILE form given together are refused",
    "config:file:quarry-config-json": "quarry.config.json sets the same settings",
    "config:file:environment-wins": "the environment wins over the file, the file over the default",
    "config:file:unknown-key": "an unknown key in the file stops the start and names the nearest known key",
    "config:auth-none:loopback-only": "QUARRY_AUTH=none is refused unless the server listens on loopback alone",
    "config:auth-none:said-in-log": "running without authentication is said in the log",
    "config:api-key:used-instead": "QUARRY_API_KEY is used instead of making a key",
    "config:sample:off": "QUARRY_SAMPLE=0 starts with an empty index",
    "config:roles:need-database-url": "roles api and worker need QUARRY_DATABASE_URL",
    "config:rate-limits:presets": "QUARRY_RATE_LIMITS takes the presets exa-2026-02 and exa",
    "config:prices:presets": "QUARRY_PRICES is all zero by default and takes the preset exa",
    "config:public-url:used-in-links": "QUARRY_PUBLIC_URL is the base of upload, download and dashboard addresses",
    "config:cors:off-by-default": "without QUARRY_CORS_ORIGINS no cross-origin permission is sent",
  },
  "issue 2 point 4": {
    "config:unknown:stops-start": "an unknown QUARRY_ name stops the start",
    "config:unknown:names-nearest": "the message for an unknown name gives the nearest valid name",
    "config:malformed:names-variable": "a malformed value stops the start and names the variable and what was expected",
    "config:print:value-and-origin": "quarry config print shows each value and where it came from",
    "config:print:secrets-hidden": "quarry config print hides secrets",
  },
});
