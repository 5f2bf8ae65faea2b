import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatDuration, formatTime } from "../../ui/format.ts";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";

const LOOK_AGAIN_MS = 2_000;
const TICK_MS = 250;

interface CrawlHost {
  readonly origin: string;
  readonly policy: "rules" | "allow-all" | "disallow-all";
  readonly reason: string | null;
  readonly agent: string;
  readonly rules: readonly Rule[];
  readonly areRulesCut: boolean;
  readonly crawlDelayMs: number | null;
  readonly sitemaps: readonly string[];
  readonly fetchedAt: string;
  readonly expiresAt: string;
  readonly waitMs: number;
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** What a site's robots.txt says to us, and how long until we may visit it again. */
export function RobotsPanel({ url, close }: { readonly url: string; readonly close: () => void }): ReactNode {
  const host = useQuery({
    queryKey: ["crawl-host", url],
    queryFn: ({ signal }) =>
      send<CrawlHost>(`/quarry/v1/crawl-hosts?${new URLSearchParams({ url }).toString()}`, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  return (
    <Dialog kind="panel" title={say("crawl.robotsOf", { host: hostName(url) })} onClose={close}>
      {host.isError ? <Trouble error={host.error} retry={() => void host.refetch()} /> : null}
      {host.data === undefined ? (
        host.isError ? null : (
          <SkeletonLines lines={6} />
        )
      ) : (
        <Facts host={host.data} readAt={host.dataUpdatedAt} />
      )}
    </Dialog>
  );
}

function Facts({ host, readAt }: { readonly host: CrawlHost; readonly readAt: number }): ReactNode {
  const waitMs = useCountdown(readAt + host.waitMs);
  return (
    <div className="stack loose">
      <dl className="facts">
        <dt>{say("crawl.robotsSays")}</dt>
        <dd>
          <Badge tone={host.policy === "disallow-all" ? "bad" : host.policy === "rules" ? "plain" : "good"}>
            {POLICIES[host.policy]}
          </Badge>{" "}
          {host.reason}
        </dd>
        <dt>{say("crawl.readFor")}</dt>
        <dd>{host.agent}</dd>
        <dt>{say("crawl.asksForPause")}</dt>
        <dd>{host.crawlDelayMs === null ? say("crawl.nothing") : formatDuration(host.crawlDelayMs)}</dd>
        <dt>{say("crawl.nextVisit")}</dt>
        <dd>
          <span role="timer">
            {waitMs <= 0 ? say("crawl.atOnce") : say("crawl.in", { duration: formatDuration(waitMs) })}
          </span>
        </dd>
        <dt>{say("crawl.robotsRead")}</dt>
        <dd>{formatTime(host.fetchedAt)}</dd>
        <dt>{say("crawl.robotsReadAgain")}</dt>
        <dd>{formatTime(host.expiresAt)}</dd>
        {host.sitemaps.length === 0 ? null : (
          <>
            <dt>{say("crawl.sitemaps")}</dt>
            <dd className="wrap">{host.sitemaps.join(", ")}</dd>
          </>
        )}
      </dl>
      <DataTable
        label={say("crawl.robotsRules")}
        columns={RULE_COLUMNS}
        rows={host.rules}
        rowKey={({ allow, pattern }) => `${allow} ${pattern}`}
        empty={say("crawl.noRobotsRules")}
      />
      {host.areRulesCut ? <p className="soft">{say("crawl.robotsRulesCut")}</p> : null}
    </div>
  );
}

const POLICIES: Readonly<Record<CrawlHost["policy"], string>> = {
  rules: say("crawl.policyRules"),
  "allow-all": say("crawl.policyAllowAll"),
  "disallow-all": say("crawl.policyDisallowAll"),
};

const RULE_COLUMNS: readonly Column<Rule>[] = [
  {
    id: "allow",
    heading: say("crawl.rule"),
    value: ({ allow }) => (allow ? say("crawl.allows") : say("crawl.forbids")),
    cell: ({ allow }) => (
      <Badge tone={allow ? "good" : "bad"}>{allow ? say("crawl.allows") : say("crawl.forbids")}</Badge>
    ),
  },
  {
    id: "pattern",
    heading: say("crawl.rulePath"),
    isText: true,
    value: ({ pattern }) => pattern,
    cell: ({ pattern }) => <span className="mono wrap">{pattern}</span>,
  },
];

/** What is left until a moment; counts down by itself. */
function useCountdown(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  const isOver = now >= until;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  return Math.max(0, until - now);
}

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
