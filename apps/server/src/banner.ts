/** What a start has to tell the person at the terminal. */
export interface StartReport {
  readonly version: string;
  readonly url: string;
  /** A worker serves nobody: whether it is well is all that its address tells. */
  readonly servesPeople: boolean;
  /** The key made on a first start; it is shown this once. */
  readonly newKey: string | undefined;
  readonly signInUrl: string | undefined;
  readonly dataDirectory: string;
  readonly database: string;
  readonly authMode: "key" | "none";
  /** Whether there is anything to search. */
  readonly hasPages: boolean;
  readonly startMs: number;
}

/** The lines a start prints on stdout. */
export function renderBanner(report: StartReport): string {
  const lines: [string, string][] = [];
  if (report.servesPeople) lines.push(...waysIn(report));
  lines.push(["Data", `${report.dataDirectory} (${report.database})`]);
  lines.push(["Stop", "Ctrl+C"]);
  const width = Math.max(...lines.map(([label]) => label.length));
  const seconds = (report.startMs / 1_000).toFixed(1);
  return [
    `Quarry ${report.version} is ready at ${report.url} (started in ${seconds} s)`,
    "",
    ...lines.map(([label, text]) => `  ${label.padEnd(width)}   ${text}`),
    "",
  ].join("\n");
}

function waysIn(report: StartReport): readonly [string, string][] {
  const lines: [string, string][] = [];
  if (report.newKey !== undefined) lines.push(["API key, shown once", report.newKey]);
  if (report.authMode === "none")
    lines.push(["No key is asked", "QUARRY_AUTH=none: whoever reaches this port may do everything"]);
  if (report.signInUrl !== undefined) lines.push(["Console, link works once", report.signInUrl]);
  lines.push(["Try it", tryIt(report)]);
  if (!report.hasPages) lines.push(["No pages yet", "npx quarry crawl https://example.com/ adds some"]);
  lines.push(["API page", `${report.url}/docs`]);
  return lines;
}

/** A question the sample answers well, in other words than its pages use. */
const FIRST_QUESTION = "how does a database survive a power failure?";

/** A call that works as it stands, pasted into a shell. */
function tryIt(report: StartReport): string {
  const key = report.authMode === "none" ? "" : ` -H "x-api-key: ${report.newKey ?? "$QUARRY_API_KEY"}"`;
  if (!report.hasPages) return `curl -s ${report.url}/quarry/v1/health${key}`;
  const body = { query: FIRST_QUESTION, numResults: 3, contents: { highlights: true } };
  return `curl -s ${report.url}/search${key} -H "content-type: application/json" -d '${JSON.stringify(body)}'`;
}
