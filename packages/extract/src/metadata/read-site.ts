import { isUrl } from "@quarry/base";
import { metaValue, type PageFacts } from "./collect-facts.ts";
import { firstText, typesOf } from "./json-ld.ts";

/** What the page says about its site and about itself, beside title, author and date. */
export interface SiteFacts {
  readonly siteName: string | undefined;
  readonly description: string | undefined;
  readonly favicon: string | undefined;
  readonly image: string | undefined;
  readonly canonicalUrl: string | undefined;
  /** The words of the robots metas (noindex, nofollow, noarchive), lower-case. */
  readonly robots: readonly string[];
  /** Other languages of the page, by language tag. */
  readonly alternates: Readonly<Record<string, string>>;
  /** Feeds the page names. */
  readonly feeds: readonly string[];
}

/** Reads them; addresses are made absolute by `resolve`. */
export function readSite(facts: PageFacts, url: string, resolve: (href: string) => string | undefined): SiteFacts {
  const image = metaValue(
    facts,
    "og:image",
    "og:image:url",
    "og:image:secure_url",
    "twitter:image",
    "twitter:image:src",
  );
  const alternates: Record<string, string> = {};
  const feeds: string[] = [];
  for (const link of facts.links) {
    if (!/\balternate\b/.test(link.name)) continue;
    const address = resolve(link.value);
    if (address === undefined) continue;
    if (link.hreflang !== "" && link.hreflang !== "__proto__") alternates[link.hreflang] = address;
    else if (/rss|atom|feed\+json/.test(link.type)) feeds.push(address);
  }
  return {
    siteName: metaValue(facts, "og:site_name", "application-name", "al:ios:app_name") ?? publisherName(facts),
    description: metaValue(facts, "description", "og:description", "twitter:description", "dc.description"),
    favicon: readFavicon(facts, url, resolve),
    image: resolve(image ?? linkValue(facts, /\bimage_src\b/) ?? ""),
    canonicalUrl: resolve(linkValue(facts, /\bcanonical\b/) ?? "") ?? resolve(metaValue(facts, "og:url") ?? ""),
    robots: [
      ...new Set(
        facts.metas
          .filter(({ name }) => name === "robots" || name === "quarrybot")
          .flatMap(({ value }) => value.toLowerCase().split(/[\s,]+/))
          .filter((word) => word !== ""),
      ),
    ],
    alternates,
    feeds,
  };
}

function publisherName(facts: PageFacts): string | undefined {
  for (const item of facts.jsonLd) {
    if (typesOf(item).some((type) => /^(?:WebSite|Organization|NewsMediaOrganization)$/.test(type))) {
      const name = firstText(item["name"]);
      if (name !== undefined) return name;
    }
    const publisher = firstText(item["publisher"]);
    if (publisher !== undefined && !publisher.includes("://")) return publisher;
  }
  return undefined;
}

/** What the site and its publishers call themselves. */
export function namesOfSite(facts: PageFacts, siteName: string | undefined): readonly string[] {
  const publishers = facts.jsonLd.map((item) => firstText(item["publisher"]));
  return [siteName, publisherName(facts), ...publishers].filter((name) => name !== undefined);
}

function readFavicon(facts: PageFacts, url: string, resolve: (href: string) => string | undefined): string | undefined {
  const icons = facts.links.filter(({ name }) => /\bicon\b/.test(name) && !/mask/.test(name));
  const best = icons.find(({ sizes }) => sizes.includes("32")) ?? icons[0];
  if (best !== undefined) return resolve(best.value);
  return isUrl("/favicon.ico", url) && /^https?:/.test(url) ? new URL("/favicon.ico", url).href : undefined;
}

function linkValue(facts: PageFacts, rel: RegExp): string | undefined {
  return facts.links.find(({ name }) => rel.test(name))?.value;
}
