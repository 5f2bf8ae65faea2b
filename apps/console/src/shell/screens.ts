import type { IconName } from "../ui/icon.tsx";
import { say } from "../words/say.ts";

/** A screen of the console, as the navigation and the palette name it. */
export interface Screen {
  readonly to:
    | "/"
    | "/research"
    | "/websets"
    | "/approvals"
    | "/monitors"
    | "/webhooks"
    | "/playground"
    | "/crawls"
    | "/index"
    | "/lab"
    | "/keys"
    | "/usage"
    | "/health"
    | "/settings"
    | "/welcome";
  readonly name: string;
  readonly icon: IconName;
  /** Other words that find it. */
  readonly words: string;
}

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  { to: "/", name: say("shell.askLabel"), icon: "ask", words: say("shell.searchQuestionFindHome") },
  { to: "/research", name: say("shell.research"), icon: "research", words: say("shell.reportPlanSourcesDeepQuestion") },
  { to: "/websets", name: say("shell.websets"), icon: "grid", words: say("shell.listGridCompaniesPeopleCriteria") },
  { to: "/monitors", name: say("shell.monitors"), icon: "again", words: say("shell.monitorWords") },
  { to: "/approvals", name: say("shell.approvals"), icon: "approvals", words: say("shell.inboxToolCallsAgentAudit") },
  { to: "/playground", name: say("shell.playground"), icon: "play", words: say("shell.apiEndpointsCurlRequestTry") },
  { to: "/crawls", name: say("shell.crawl"), icon: "crawl", words: say("shell.sitePagesSpiderFetchProgress") },
  { to: "/index", name: say("shell.index"), icon: "index", words: say("shell.documentsLanguagesDomainsDiskOptimise") },
  { to: "/lab", name: say("lab.indexLab"), icon: "why", words: say("shell.labWords") },
  {
    to: "/webhooks",
    name: say("shell.webhooks"),
    icon: "hook",
    words: say("shell.eventsEndpointDeliverySecretReplay"),
  },
  { to: "/keys", name: say("shell.keys"), icon: "keys", words: say("shell.apiKeySecretRotateRevoke") },
  { to: "/usage", name: say("shell.usage"), icon: "usage", words: say("shell.requestsLatencyCostChartCsv") },
  { to: "/health", name: say("shell.health"), icon: "health", words: say("shell.statusComponentsDatabaseModelsDisk") },
  {
    to: "/settings",
    name: say("shell.settings"),
    icon: "settings",
    words: say("shell.themeConfigurationSignOutBackup"),
  },
];

/** The guided start; reached from empty screens and the palette. */
export const WELCOME: Screen = {
  to: "/welcome",
  name: say("shell.getStarted"),
  icon: "start",
  words: say("shell.firstRunGuideWelcomeSample"),
};
