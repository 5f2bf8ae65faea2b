import type { IconName } from "../ui/icon.tsx";

/** A screen of the console, as the navigation and the palette name it. */
export interface Screen {
  readonly to:
    | "/"
    | "/research"
    | "/websets"
    | "/approvals"
    | "/webhooks"
    | "/playground"
    | "/crawls"
    | "/index"
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
  { to: "/", name: "Ask", icon: "ask", words: "search question find home" },
  { to: "/research", name: "Research", icon: "research", words: "report plan sources deep question" },
  { to: "/websets", name: "Websets", icon: "grid", words: "list grid companies people criteria enrichment export" },
  { to: "/approvals", name: "Approvals", icon: "approvals", words: "inbox tool calls agent audit sessions reject" },
  { to: "/playground", name: "Playground", icon: "play", words: "api endpoints curl request try" },
  { to: "/crawls", name: "Crawl", icon: "crawl", words: "site pages spider fetch progress robots why indexed" },
  { to: "/index", name: "Index", icon: "index", words: "documents languages domains disk optimise import" },
  { to: "/webhooks", name: "Webhooks", icon: "hook", words: "events endpoint delivery secret replay test" },
  { to: "/keys", name: "Keys", icon: "keys", words: "api key secret rotate revoke scope" },
  { to: "/usage", name: "Usage", icon: "usage", words: "requests latency cost chart csv" },
  { to: "/health", name: "Health", icon: "health", words: "status components database models disk" },
  { to: "/settings", name: "Settings", icon: "settings", words: "theme configuration sign out backup" },
];

/** The guided start; reached from empty screens and the palette. */
export const WELCOME: Screen = {
  to: "/welcome",
  name: "Get started",
  icon: "start",
  words: "first run guide welcome sample",
};
