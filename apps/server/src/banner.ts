/** What a start has to tell the person at the terminal. */
export interface StartReport {
  readonly version: string;
  readonly url: string;
  /** The key made on a first start; it is shown this once. */
  readonly newKey: string | undefined;
  readonly signInUrl: string | undefined;
  readonly dataDirectory: string;
  readonly database: string;
  readonly authMode: "key" | "none";
  readonly startMs: number;
}

/** The lines a start prints on stdout. */
export function renderBanner(report: StartReport): string {
  const lines: [string, string][] = [];
  if (report.newKey !== undefined) lines.push(["API key, shown once", report.newKey]);
  if (report.authMode === "none")
    lines.push(["No key is asked", "QUARRY_AUTH=none: whoever reaches this port may do everything"]);
  if (report.signInUrl !== undefined) lines.push(["Console, link works once", report.signInUrl]);
  lines.push(["Try it", tryIt(report)]);
  lines.push(["API page", `${report.url}/docs`]);
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

function tryIt(report: StartReport): string {
  const call = `curl -s ${report.url}/quarry/v1/health`;
  if (report.authMode === "none") return call;
  return `${call} -H "x-api-key: ${report.newKey ?? "$QUARRY_API_KEY"}"`;
}
