import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { describeData } from "../testing.ts";
import { canonicalUrl } from "./canonical-url.ts";
import { registrableDomain } from "./registrable-domain.ts";

interface WebPlatformCase {
  readonly input: string;
  readonly base?: string | null;
  readonly failure?: boolean;
  readonly href?: string;
}

describeData("url-tests", (folder) => {
  const read = (name: string): string => {
    const bytes = readFileSync(path.join(folder, name));
    return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  };
  const pairsOf = (name: string): [string, string][] =>
    Object.entries(JSON.parse(read(name)) as Record<string, string>);

  verifies("crawl:url:canonical-form", "normalises every weird http URL of crawler-commons as it does", () => {
    const pairs = csvRows(read("crawler-commons/weirdToNormalizedUrls.csv")).filter(
      ([input]) => !/^(?:file|ftp):/.test(input),
    );
    // Theirs is a URL without a host, for which there is nothing to fetch.
    const expected = pairs.map(([input, normal]) => [input, normal === "http:/" ? undefined : normal]);
    expect(pairs).toHaveLength(106);
    expect(pairs.map(([input]) => [input, canonicalUrl(input)])).toEqual(expected);
  });

  it("refuses what crawler-commons calls invalid", () => {
    const invalid = read("crawler-commons/invalidUrls.csv")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(invalid).toHaveLength(2);
    expect(invalid.map((url) => canonicalUrl(url))).toEqual([undefined, undefined]);
  });

  it("resolves links against a page as crawler-commons does", () => {
    const rows = csvRows(read("crawler-commons/url-resolve.csv")).filter(([, base]) => !base.startsWith("file:"));
    expect(rows).toHaveLength(21);
    for (const [link, base, resolved] of rows) {
      expect(canonicalUrl(link, base === "" ? undefined : base)).toBe(canonicalUrl(resolved ?? ""));
    }
  });

  it("finds the registrable domain of every case of the Public Suffix List", () => {
    const cases = [...read("psl/test_psl.txt").matchAll(/^checkPublicSuffix\('([^']*)', (?:null|'([^']*)')\);/gm)];
    expect(cases).toHaveLength(77);
    for (const [, host = "", domain] of cases) expect([host, registrableDomain(host)]).toEqual([host, domain]);
  });

  verifies("crawl:url:canonical-form", "reads web platform URLs as the platform's own parser does", () => {
    let agreed = 0;
    const differences: unknown[] = [];
    for (const name of ["wpt/urltestdata.json.gz", "wpt/ada_extra_urltestdata.json", "urlcanon/urltestdata.json.gz"]) {
      for (const entry of JSON.parse(read(name)) as (WebPlatformCase | string)[]) {
        if (typeof entry === "string") continue;
        const base = entry.base ?? "about:blank";
        const expected = entry.failure === true ? undefined : canonicalUrl(entry.href ?? "", "about:blank");
        const actual = canonicalUrl(entry.input, base);
        if (actual === expected) agreed += 1;
        else differences.push([entry.input, base, expected, actual]);
      }
    }
    expect(differences).toEqual([]);
    expect(agreed).toBe(1358);
  });

  it("keeps hosts as the platform's IDNA gives them", () => {
    const cases = ["wpt/toascii.json", "wpt/IdnaTestV2.json.gz"].flatMap((name) =>
      (JSON.parse(read(name)) as ({ input: string; output: string | null } | string)[]).filter(
        (entry) => typeof entry !== "string",
      ),
    );
    const agreed = cases.filter(({ input, output }) => hostOf(input) === (output?.replace(/\.+$/, "") || undefined));
    expect(cases).toHaveLength(2758);
    // The rest are labels that Node 20's older IDNA tables refuse (`xn--a`) or fold (capital sharp s).
    expect(agreed.length).toBeGreaterThanOrEqual(1900);
  });

  it("reads funny IPv4 addresses and dot segments as urlcanon does", () => {
    for (const [host, address] of Object.entries(
      JSON.parse(read("urlcanon/funky_ipv4.json")) as Record<string, string | null>,
    )) {
      if (address !== null) expect([host, canonicalUrl(`http://${host}/`)]).toEqual([host, `http://${address}/`]);
    }
    const dots = (JSON.parse(read("urlcanon/path_dots.json")) as { special: Record<string, string> }).special;
    for (const [input, resolved] of Object.entries(dots)) {
      expect([input, canonicalUrl(`http://a.test${input}`)]).toEqual([input, canonicalUrl(`http://a.test${resolved}`)]);
    }
  });

  it("drops the sessions urlcanon drops, and keeps www, https, case and the last slash", () => {
    for (const [input, expected] of pairsOf("urlcanon/aggressive.json")) {
      const ours = canonicalUrl(input) ?? "";
      expect([input, aggressive(ours)]).toEqual([input, aggressive(expected)]);
    }
  });

  it("agrees with urlcanon's precise form but where it unescapes twice, reads Latin-1 or allows impossible hosts", () => {
    const pairs = pairsOf("urlcanon/semantic_precise.json").filter(([input]) => /^\s*http/.test(input));
    const agreed = pairs.filter(([input, expected]) => canonicalUrl(input) === expected.replace(/#.*$/, ""));
    expect([agreed.length, pairs.length]).toEqual([106, 159]);
  });

  it("never changes its own answer", () => {
    const inputs = [
      ...(JSON.parse(read("urlcanon/idempotence.json")) as string[]),
      ...Object.keys(JSON.parse(read("urlcanon/parsing.json")) as object),
      ...pairsOf("urlcanon/supplemental_whatwg.json").flat(),
      ...pairsOf("urlcanon/semantic_precise.json").flat(),
    ];
    for (const input of inputs) {
      const once = canonicalUrl(input);
      if (once !== undefined) expect(canonicalUrl(once)).toBe(once);
    }
  });
});

function hostOf(host: string): string | undefined {
  const url = canonicalUrl(`https://${host}/x`, "about:blank");
  return url === undefined ? undefined : new URL(url).hostname;
}

/** Takes away what urlcanon's aggressive form takes away and ours keeps. */
function aggressive(url: string): string {
  const [start = "", query] = url.toLowerCase().split("?");
  const bare = start
    .replace(/^https/, "http")
    .replace(/\/\/www\d*\./, "//")
    .replace(/([^/])\/$/, "$1")
    .replace("%21", "!");
  return query === undefined ? bare : `${bare}?${query.split("&").sort().join("&")}`;
}

function csvRows(text: string): [string, string, string?][] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const cells = [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)].map(
        (match) => match[1]?.replaceAll('""', '"') ?? match[2] ?? "",
      );
      return [cells[0] ?? "", cells[1] ?? "", cells[2] ?? ""];
    });
}
