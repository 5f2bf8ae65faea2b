const HEADING = /^## Where sources disagree\s*$/m;
const MARK = /\[\[\d+\]\]\(((?:(?!\[\[)[^)\s])+)\)/g;

/** What a report says of sources that contradict each other: for each page, the claims of others against its own. */
export function listDisputes(report: string): ReadonlyMap<string, readonly string[]> {
  const found = HEADING.exec(report);
  const disputes = new Map<string, string[]>();
  if (found === null) return disputes;
  const [section = ""] = report.slice(found.index + found[0].length).split(/^## /m, 1);
  for (const line of section.split("\n")) {
    const sides = line.replace(/^-\s+/, "").split(/ — but: /);
    const [one, other] = sides.map(readSide);
    if (sides.length !== 2 || one === undefined || other === undefined) continue;
    for (const url of one.urls) disputes.set(url, [...(disputes.get(url) ?? []), other.claim]);
    for (const url of other.urls) disputes.set(url, [...(disputes.get(url) ?? []), one.claim]);
  }
  return disputes;
}

function readSide(text: string): { readonly claim: string; readonly urls: readonly string[] } {
  return {
    claim: text.replace(MARK, "").trim(),
    urls: [...text.matchAll(MARK)].flatMap(([, url]) => (url === undefined ? [] : [url])),
  };
}
