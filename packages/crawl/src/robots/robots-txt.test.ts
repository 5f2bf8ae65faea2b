import { readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeData } from "../testing.ts";
import { matchesPattern, robotsAllow, robotsGroupFor } from "./robots-match.ts";
import { MAX_ROBOTS_BYTES, parseRobotsTxt } from "./robots-txt.ts";

const allowed = (file: Uint8Array | string, url: string, agent = "QuarryBot"): boolean =>
  robotsAllow(parseRobotsTxt(file), agent, url);

/** One file, and the paths it allows and refuses to QuarryBot. */
interface RulesCase {
  readonly name: string;
  readonly file: string;
  readonly allows?: readonly string[];
  readonly refuses?: readonly string[];
}

const RULES: readonly RulesCase[] = [
  { name: "an empty file allows all", file: "", allows: ["/", "/x"] },
  { name: "rules before any name bind nobody", file: "Disallow: /\n", allows: ["/x"] },
  { name: "an empty disallow allows all", file: "User-agent: *\nDisallow:\n", allows: ["/x"] },
  {
    name: "a group of one's own replaces the common one",
    file: "User-agent: *\nDisallow: /a\nUser-agent: quarrybot\nDisallow: /b",
    allows: ["/a"],
    refuses: ["/b"],
  },
  {
    name: "an empty group of one's own does so too",
    file: "User-agent: *\nDisallow: /\n\nUser-agent: QuarryBot\nAllow:",
    allows: ["/a"],
  },
  {
    name: "groups of one name are merged",
    file: "User-agent: quarrybot\nDisallow: /a\nUser-agent: other\nDisallow: /x\nUser-agent: QUARRYBOT\nDisallow: /b",
    allows: ["/x"],
    refuses: ["/a", "/b"],
  },
  {
    name: "names in a row share the rules",
    file: "User-agent: other\nUser-agent: QuarryBot\nDisallow: /a",
    refuses: ["/a"],
    allows: ["/b"],
  },
  {
    name: "sitemaps and unknown lines between names end no group",
    file: "User-agent: QuarryBot\nSitemap: /s.xml\nVisit-time: 0600\nCrawl-delay: 3\nUser-agent: x\nDisallow: /a",
    refuses: ["/a"],
  },
  {
    name: "a rule ends the list of names",
    file: "User-agent: QuarryBot\nAllow: /\nUser-agent: x\nDisallow: /",
    allows: ["/a"],
  },
  {
    name: "a version behind the name is passed over",
    file: "User-agent: QuarryBot/2.0 (+https://x)\nDisallow: /a",
    refuses: ["/a"],
  },
  { name: "a longer name is another's", file: "User-agent: QuarryBotImages\nDisallow: /a", allows: ["/a"] },
  {
    name: "the longest rule wins, whatever its place",
    file: "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c",
    allows: ["/a/b", "/a/b/d"],
    refuses: ["/a", "/a/x", "/a/b/c"],
  },
  {
    name: "of two equal rules the kind one wins",
    file: "User-agent: *\nDisallow: /a\nAllow: /a",
    allows: ["/a", "/a/b"],
  },
  {
    name: "a star stands for anything, nothing too",
    file: "User-agent: *\nDisallow: /*/private*.html",
    allows: ["/private.html"],
    refuses: ["//private.html", "/a/b/private-1.html?x"],
  },
  {
    name: "a dollar ends the pattern only at its end",
    file: "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a$b",
    allows: ["/x.pdf?y", "/a"],
    refuses: ["/x.pdf", "/a$bc"],
  },
  { name: "a star before a dollar matches all", file: "User-agent: *\nDisallow: /a*$", refuses: ["/a", "/abc?d"] },
  {
    name: "a rule without a slash starts where it says",
    file: "User-agent: *\nDisallow: *.gif$\nDisallow: private",
    allows: ["/private"],
    refuses: ["/x/y.gif"],
  },
  { name: "paths tell capitals apart", file: "User-agent: *\nDisallow: /A", allows: ["/a"], refuses: ["/A"] },
  {
    name: "the query counts",
    file: "User-agent: *\nDisallow: /*?\nDisallow: /x?id=1&",
    allows: ["/x"],
    refuses: ["/x?a", "/x?id=1&b"],
  },
  {
    name: "an escape and its character are one when refusing",
    file: "User-agent: *\nDisallow: /%7ejoe\nDisallow: /b%61r",
    refuses: ["/~joe/x", "/%7Ejoe", "/bar", "/b%61r"],
  },
  {
    name: "octets beyond ASCII are their escapes",
    file: "User-agent: *\nDisallow: /caf\u00e9",
    refuses: ["/caf%C3%A9", "/caf%c3%a9"],
    allows: ["/caf"],
  },
  {
    name: "an escaped slash is not a slash",
    file: "User-agent: *\nDisallow: /a%2fb",
    refuses: ["/a%2Fb"],
    allows: ["/a/b"],
  },
  {
    name: "an escaped star is no wildcard",
    file: "User-agent: *\nDisallow: /a%2Ab",
    refuses: ["/a%2Ab"],
    allows: ["/axb"],
  },
  {
    name: "comments end a line",
    file: "User-agent: * # all\nDisallow: /a#b\n#Disallow: /c",
    refuses: ["/a"],
    allows: ["/c"],
  },
  {
    name: "lines end in any way",
    file: "User-agent: *\rDisallow: /a\r\nDisallow: /b\n\nDisallow: /c",
    refuses: ["/a", "/b", "/c"],
  },
  {
    name: "blanks around a colon, or in its place",
    file: "user-agent : *\ndisallow : /a\nDisallow /b\nDisallow\t/c",
    refuses: ["/a", "/b", "/c"],
  },
  {
    name: "three words without a colon mean nothing",
    file: "User-agent: *\nDisallow all pages\nDisallow: /a",
    refuses: ["/a"],
    allows: ["/b"],
  },
  {
    name: "misspelt names and refusals still count",
    file: "Useragent: *\nDissallow: /a\nDisalow: /b",
    refuses: ["/a", "/b"],
  },
  {
    name: "an index file allowed is its folder allowed",
    file: "User-agent: *\nAllow: /a/index.html\nDisallow: /",
    allows: ["/a/", "/a/index.html"],
    refuses: ["/a", "/a/x", "/a/index.htm"],
  },
  { name: "a star with more behind it is not everyone", file: "User-agent: *bot\nDisallow: /", allows: ["/a"] },
  {
    name: "HTML instead of a file says nothing",
    file: "<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>",
    allows: ["/"],
  },
];

describe("robots rules", () => {
  for (const { name, file, allows = [], refuses = [] } of RULES) {
    verifies("crawl:robots:rfc-9309", name, () => {
      for (const target of allows) expect([target, allowed(file, `https://a.test${target}`)]).toEqual([target, true]);
      for (const target of refuses) expect([target, allowed(file, `https://a.test${target}`)]).toEqual([target, false]);
    });
  }

  it("reads no path as the root, and leaves fragments out", () => {
    const file = "User-agent: *\nDisallow: /$\nDisallow: /x$";
    expect(["https://a.test", "https://a.test?", "https://a.test/x#y"].map((url) => allowed(file, url))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("takes Google's side where it is stricter than the RFC about escapes", () => {
    expect(allowed("User-agent: *\nDisallow: /\nAllow: /%62", "https://a.test/b")).toBe(false);
  });

  it("reads UTF-8 and UTF-16 with a byte order mark", () => {
    const text = "User-agent: *\nDisallow: /\u00e9";
    const swapped = Buffer.from(`\ufeff${text}`, "utf16le").swap16();
    for (const file of [Buffer.from(`\ufeff${text}`), Buffer.from(`\ufeff${text}`, "utf16le"), swapped]) {
      expect([allowed(file, "https://a.test/%C3%A9"), allowed(file, "https://a.test/e")]).toEqual([false, true]);
    }
  });

  it("keeps the octets of an old encoding", () => {
    expect(allowed(Buffer.from("User-agent: *\nDisallow: /\u00e9", "latin1"), "https://a.test/%E9")).toBe(false);
  });

  it("stops at 500 KiB and leaves out the line that is cut there", () => {
    const filler = "# filler\n".repeat(MAX_ROBOTS_BYTES / 9 - 4);
    const file = `User-agent: *\nDisallow: /early\n${filler}${" ".repeat(20)}Allow: /early/but-cut\nDisallow: /late`;
    expect(Buffer.byteLength(file)).toBeGreaterThan(MAX_ROBOTS_BYTES);
    expect(["/early", "/early/but-cut", "/late"].map((target) => allowed(file, `https://a.test${target}`))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("reads delays and sitemaps", () => {
    const file = parseRobotsTxt(
      "Sitemap: https://a.test/S.xml\nUser-agent: quarrybot\nCrawl-delay: 2.5 # slow\nUser-agent: b\nCrawl-delay: x\n" +
        "User-agent: *\nCrawl-delay: 99999999\nsitemap : /rel.xml\nSitemap: https://a.test/S.xml",
    );
    expect(file.sitemaps).toEqual(["https://a.test/S.xml", "/rel.xml"]);
    expect(["QuarryBot", "b", "c"].map((agent) => robotsGroupFor(file, agent)?.crawlDelayMs)).toEqual([
      2500,
      undefined,
      600_000,
    ]);
  });

  it("shares rules between names, so that many of both do not multiply", () => {
    const names = Array.from({ length: 15_000 }, (_name, index) => `User-agent: ${nameOf(index)}\n`).join("");
    const file = parseRobotsTxt(`${names}${"Disallow: /a\n".repeat(15_000)}`);
    expect(file.groups.size).toBe(15_000);
    expect(robotsAllow(file, nameOf(14_999), "https://a.test/a")).toBe(false);
  });

  it("does not hang on patterns made to", () => {
    const pattern = `/${"*a".repeat(4000)}$`;
    const file = parseRobotsTxt(`User-agent: *\n${`Disallow: ${pattern}\n`.repeat(50)}`);
    const started = performance.now();
    expect(robotsAllow(file, "x", `https://a.test/${"a".repeat(3999)}b`)).toBe(true);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("never throws, and agrees with a plain reading of * and $", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "$", "."), maxLength: 8 });
    fc.assert(
      fc.property(piece, piece, (pattern, target) => {
        const ends = pattern.endsWith("$");
        const source = (ends ? pattern.slice(0, -1) : pattern)
          .split("*")
          .map((text) => text.replace(/[.$/]/g, "\\$&"))
          .join(".*");
        expect(matchesPattern(pattern, target)).toBe(new RegExp(`^${source}${ends ? "$" : ""}`).test(target));
      }),
      { numRuns: 600 },
    );
    const line = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("User-agent: *", "Disallow: /", "Allow: *", "Sitemap:", "Crawl-delay: 1e9"),
    );
    fc.assert(
      fc.property(fc.array(line), fc.webUrl(), (lines, url) => {
        expect(typeof allowed(lines.join("\n"), url)).toBe("boolean");
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(typeof allowed(bytes, "https://a.test/")).toBe("boolean");
      }),
    );
  });
});

describeData("robots-tests", (folder) => {
  interface GoogleCase {
    readonly test: string;
    readonly robotstxt: string;
    readonly user_agent: string;
    readonly url: string;
    readonly allowed: boolean;
  }
  const cases = JSON.parse(readFileSync(path.join(folder, "google-robotstxt-cases.json"), "utf8")) as GoogleCase[];
  const sample = (name: string): Buffer => readFileSync(path.join(folder, "crawler-commons-samples", name));

  verifies(["crawl:robots:google-cases", "promises:t24:robots"], "agrees with Google on every case", () => {
    expect(cases).toHaveLength(140);
    const wrong = cases.filter((entry) => allowed(entry.robotstxt, entry.url, entry.user_agent) !== entry.allowed);
    expect(wrong).toEqual([]);
  });

  it.each([
    ["rfc9309-example-simple-robots.txt", "foobot", ["/example/page.html", "/example/allowed.gif"], ["/", "/x"]],
    ["rfc9309-example-simple-robots.txt", "bazbot", ["/", "/x.gif"], ["/example/page.html"]],
    ["rfc9309-example-simple-robots.txt", "quxbot", ["/", "/example/", "/x.gif"], []],
    ["rfc9309-example-simple-robots.txt", "anybot", ["/publications/"], ["/a.gif", "/example/page.html"]],
    ["rfc9309-example-longest-match-robots.txt", "foobot", ["/example/page/"], ["/example/page/disallowed.gif"]],
    ["rfc9309-example-rule-group-merging.txt", "examplebot", ["/x"], ["/foo", "/bar", "/baz"]],
    ["merge-rules.txt", "wget", ["/ckh/bar", "/foo/bar"], ["/tmp/bar"]],
    ["precedence-of-rules.txt", "wget", ["/foo", "/index.html"], []],
    ["precedence-of-rules.txt", "testy", ["/foo/bar"], ["/foo", "/foo/baz"]],
    ["directive-typos-robots.txt", "bot1", ["/x"], ["/desallow/", "/dissalow/"]],
    ["directive-typos-robots.txt", "bot2", [], ["/useragent/"]],
    ["directive-typos-robots.txt", "bot3", [], ["/useg-agent/"]],
    ["directive-typos-robots.txt", "bot4", [], ["/useragent-no-colon/"]],
    ["format-errors-robots.txt", "bot1", [], ["/whitespace-before-colon/", "/no-colon/"]],
    ["format-errors-robots.txt", "bot2", [], ["/no-colon-useragent/"]],
    ["format-errors-robots.txt", "bot3", ["/whitespace-before-colon"], ["/x"]],
    ["twitter.com-robots.txt", "anybot", ["/x"], ["/x?y", "/a/with_friends"]],
    ["robots-with-utf16be-bom.txt", "anybot", ["/x"], ["/profile", "/a/output/print"]],
    ["robots-with-utf16le-bom.txt", "googlebot", ["/x"], ["/login.aspx"]],
    ["robots-with-utf8-bom.txt", "anybot", ["/x"], ["/register.aspx"]],
    ["crawl-delay-group-merging.txt", "mybot", ["/login/"], ["/private/"]],
    ["crawl-delay-group-merging.txt", "yourbot", ["/"], ["/private/", "/login/"]],
    ["extensions-group-merging.txt", "mybot", ["/x"], ["/private/", "/login/"]],
    ["malformed-path.txt", "anybot", ["/x"], ["/wiki/Wikipedia_talk:Mediation_Committee/"]],
  ])("reads %s for %s", (name, agent, allows, refuses) => {
    // Tokens in this set carry digits, which RFC 9309 does not allow in one: they are cut, as Google cuts them.
    const token = agent.replace(/\d+$/, "");
    const file = /^bot\d$/.test(agent) ? onlyGroupOf(sample(name).toString("latin1"), agent) : sample(name);
    for (const target of allows)
      expect([target, allowed(file, `http://a.test${target}`, token)]).toEqual([target, true]);
    for (const target of refuses)
      expect([target, allowed(file, `http://a.test${target}`, token)]).toEqual([target, false]);
  });

  it("finds the delays and sitemaps of the samples", () => {
    const delayOf = (name: string, agent: string): number | undefined =>
      robotsGroupFor(parseRobotsTxt(sample(name)), agent)?.crawlDelayMs;
    expect(delayOf("twitter.com-robots.txt", "slurp")).toBe(1000);
    expect(delayOf("dos-line-endings.txt", "anybot")).toBe(1000);
    expect(delayOf("astore.amazon.com-robots.txt", "anybot")).toBe(5000);
    expect(["mybot", "yourbot", "anybot"].map((agent) => delayOf("crawl-delay-group-merging.txt", agent))).toEqual([
      10_000,
      undefined,
      30_000,
    ]);
    expect(parseRobotsTxt(sample("sitemap-robots.txt")).sitemaps).toEqual([
      "http://domain.com/sitemap.xml",
      "http://domain.com/dir/MixedCased-sitemap.xml",
    ]);
    expect(parseRobotsTxt(sample("sitemap-robots-dedup.txt")).sitemaps).toEqual(["http://example.org/sitemap.xml"]);
    expect(parseRobotsTxt(sample("robots-with-utf16le-bom.txt")).sitemaps).toEqual([
      "http://www.newsweek.com/sitemap_index.xml",
    ]);
  });

  it("keeps every name of a file with very many", () => {
    expect(parseRobotsTxt(sample("many-user-agents.txt")).groups.size).toBe(175);
  });
});

/** A name of letters alone, as product tokens are. */
function nameOf(index: number): string {
  return index.toString(26).replace(/\d/g, (digit) => String.fromCharCode(113 + Number(digit)));
}

/** The lines that speak to one agent, its name made a proper token. */
function onlyGroupOf(text: string, agent: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.endsWith(agent));
  const end = lines.findIndex((line, index) => index > start && line.trim() === "");
  return lines
    .slice(start, end === -1 ? undefined : end)
    .join("\n")
    .replace(agent, "bot");
}
