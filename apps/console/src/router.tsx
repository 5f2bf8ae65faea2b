import { createRootRoute, createRoute, createRouter, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readApprovalsSearch } from "./screens/approvals/approvals-search.ts";
import { ApprovalsScreen } from "./screens/approvals/approvals-screen.tsx";
import { readAskSearch } from "./screens/ask/ask-search.ts";
import { AskScreen } from "./screens/ask/ask-screen.tsx";
import { CrawlScreen } from "./screens/crawl/crawl-screen.tsx";
import { readCrawlSearch, readCrawlsSearch } from "./screens/crawl/crawl-search.ts";
import { CrawlsScreen } from "./screens/crawl/crawls-screen.tsx";
import { readDialogSearch } from "./screens/dialog-search.ts";
import { HealthScreen } from "./screens/health-screen.tsx";
import { IndexScreen } from "./screens/index/index-screen.tsx";
import { KeysScreen } from "./screens/keys-screen.tsx";
import { LabScreen } from "./screens/lab/lab-screen.tsx";
import { MonitorsScreen } from "./screens/monitors/monitors-screen.tsx";
import { readPlaygroundSearch } from "./screens/playground/playground-search.ts";
import { PlaygroundScreen } from "./screens/playground/playground-screen.tsx";
import { ResearchListScreen } from "./screens/research/research-list-screen.tsx";
import { readResearchSearch } from "./screens/research/research-search.ts";
import { ResearchScreen } from "./screens/research/research-screen.tsx";
import { SettingsScreen } from "./screens/settings-screen.tsx";
import { readUsageSearch } from "./screens/usage-search.ts";
import { UsageScreen } from "./screens/usage-screen.tsx";
import { WebhookScreen } from "./screens/webhooks/webhook-screen.tsx";
import { WebhooksScreen } from "./screens/webhooks/webhooks-screen.tsx";
import { WebsetScreen } from "./screens/websets/webset-screen.tsx";
import { readWebsetAddress } from "./screens/websets/websets-search.ts";
import { WebsetsScreen } from "./screens/websets/websets-screen.tsx";
import { readWelcomeSearch } from "./screens/welcome/welcome-search.ts";
import { WelcomeScreen } from "./screens/welcome/welcome-screen.tsx";
import { Shell } from "./shell/shell.tsx";
import { EmptyState } from "./ui/states.tsx";
import { say } from "./words/say.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NowhereScreen });

const routes = [
  createRoute({ getParentRoute: () => root, path: "/", component: AskScreen, validateSearch: readAskSearch }),
  createRoute({
    getParentRoute: () => root,
    path: "/welcome",
    component: WelcomeScreen,
    validateSearch: readWelcomeSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/playground",
    component: PlaygroundScreen,
    validateSearch: readPlaygroundSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/crawls",
    component: CrawlsScreen,
    validateSearch: readCrawlsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/crawls/$id",
    component: CrawlScreen,
    validateSearch: readCrawlSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/research",
    component: ResearchListScreen,
    validateSearch: readDialogSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/research/$id",
    component: ResearchScreen,
    validateSearch: readResearchSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/approvals",
    component: ApprovalsScreen,
    validateSearch: readApprovalsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/websets",
    component: WebsetsScreen,
    validateSearch: readDialogSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/websets/$id",
    component: WebsetScreen,
    validateSearch: readWebsetAddress,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/monitors",
    component: MonitorsScreen,
    validateSearch: readDialogSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/webhooks",
    component: WebhooksScreen,
    validateSearch: readDialogSearch,
  }),
  createRoute({ getParentRoute: () => root, path: "/webhooks/$id", component: WebhookScreen }),
  createRoute({ getParentRoute: () => root, path: "/index", component: IndexScreen }),
  createRoute({ getParentRoute: () => root, path: "/lab", component: LabScreen, validateSearch: readDialogSearch }),
  createRoute({ getParentRoute: () => root, path: "/keys", component: KeysScreen, validateSearch: readDialogSearch }),
  createRoute({ getParentRoute: () => root, path: "/usage", component: UsageScreen, validateSearch: readUsageSearch }),
  createRoute({ getParentRoute: () => root, path: "/health", component: HealthScreen }),
  createRoute({ getParentRoute: () => root, path: "/settings", component: SettingsScreen }),
] as const;

/** Which address shows which screen. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/console",
  defaultPreload: false,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function NowhereScreen(): ReactNode {
  return (
    <EmptyState
      icon="crawl"
      title={say("shell.thereIsNoScreenAt")}
      actions={
        <Link className="button primary" to="/">
          {say("shell.toTheStart")}
        </Link>
      }
    />
  );
}
