import { api } from "./english/api.ts";
import { approvals } from "./english/approvals.ts";
import { ask } from "./english/ask.ts";
import { crawl } from "./english/crawl.ts";
import { health } from "./english/health.ts";
import { index } from "./english/index.ts";
import { keys } from "./english/keys.ts";
import { lab } from "./english/lab.ts";
import { monitors } from "./english/monitors.ts";
import { playground } from "./english/playground.ts";
import { research } from "./english/research.ts";
import { settings } from "./english/settings.ts";
import { shell } from "./english/shell.ts";
import { ui } from "./english/ui.ts";
import { usage } from "./english/usage.ts";
import { webhooks } from "./english/webhooks.ts";
import { websets } from "./english/websets.ts";
import { welcome } from "./english/welcome.ts";

/** Every text of the console, in English. A name in braces is a place that something is put into. */
export const english = {
  ...api,
  ...approvals,
  ...ask,
  ...crawl,
  ...health,
  ...index,
  ...keys,
  ...lab,
  ...monitors,
  ...playground,
  ...research,
  ...settings,
  ...shell,
  ...ui,
  ...usage,
  ...webhooks,
  ...websets,
  ...welcome,
} as const;

/** The table as it is written: which messages there are, and what each needs. */
export type English = typeof english;
