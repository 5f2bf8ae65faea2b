import { absoluteUrl } from "../entities/page-urls.ts";
import { findQuote, type Evidence, type PageText } from "../evidence.ts";
import { spellings } from "../judge/subject.ts";
import type { Filled, Filling } from "./filling.ts";
import { speaksFor } from "./own-pages.ts";
import { firstLine, hostOf, lineAround } from "./page-lines.ts";
import { readUrls, toAbsolute } from "./read-urls.ts";
import { ownProfiles } from "./structured-facts.ts";

const NETWORKS: readonly (readonly [RegExp, RegExp])[] = [
  [/linkedin/i, /(?:^|\.)linkedin\.com$/],
  [/twitter|\bx\.com\b|\bx (?:profile|account|url)\b/i, /(?:^|\.)(?:twitter|x)\.com$/],
  [/facebook/i, /(?:^|\.)facebook\.com$/],
  [/instagram/i, /(?:^|\.)instagram\.com$/],
  [/youtube/i, /(?:^|\.)youtube\.com$/],
  [/github/i, /(?:^|\.)github\.com$/],
  [/crunchbase/i, /(?:^|\.)crunchbase\.com$/],
  [/tiktok/i, /(?:^|\.)tiktok\.com$/],
];

/** Whether a column asks for a profile on a network. */
export function asksProfile(description: string): boolean {
  return NETWORKS.some(([asks]) => asks.test(description));
}

interface Profile {
  readonly page: PageText;
  readonly url: string;
  readonly quote: Evidence | undefined;
  /** Whether it bears the entity's name. */
  readonly isNamed: boolean;
}

/** An entity's profile on a network: one of its pages' that bears its name, else the first; on the pages of others only its name tells. */
export function fillProfile(filling: Filling): Filled | undefined {
  const { entity, enrichment, pages } = filling;
  const network = NETWORKS.find(([asks]) => asks.test(enrichment.description))?.[1];
  // a company's page may name its people's profiles, too, and a person's the employer's
  const ofOtherKind =
    entity.type === "company" ? /^\/in\//i : entity.type === "person" ? /^\/(?:company|school)\//i : undefined;
  const names = [entity.name, ...entity.aliases].flatMap(spellings).map(plain);
  const fits = ({ url }: Profile): boolean =>
    network?.test(hostOf(url)) === true && ofOtherKind?.test(new URL(url).pathname) !== true;
  const own = ownProfiles(filling);
  const found = pages.flatMap((page) => {
    const profiles = profilesOn(
      page,
      own.filter((one) => one.page === page).map(({ url }) => url),
    )
      .map((one) => ({ ...one, isNamed: names.some((name) => name !== "" && plain(one.url).includes(name)) }))
      .filter(fits);
    return speaksFor(page, filling) ? profiles : profiles.filter(({ isNamed }) => isNamed);
  });
  const best = found.find(({ isNamed }) => isNamed) ?? found[0];
  return best?.quote === undefined
    ? undefined
    : { result: [best.url], rule: "link to the network", references: [best.quote] };
}

/** The addresses that a page's text gives, then those of its links and of its data about the entity. */
function profilesOn(page: PageText, stated: readonly string[]): readonly Omit<Profile, "isNamed">[] {
  const written = readUrls(page.text).flatMap(({ value, start, end }) => {
    const url = toAbsolute(value);
    return url === undefined ? [] : [{ page, url, quote: lineAround(page, start, end) }];
  });
  const links = [...(page.links ?? []), ...stated.map((url) => ({ url, text: "" }))].flatMap(({ url, text }) => {
    const whole = absoluteUrl(url, page.url);
    const quote = (text === "" ? undefined : findQuote(page, text)) ?? firstLine(page);
    return whole === null ? [] : [{ page, url: whole, quote }];
  });
  return [...written, ...links];
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
