import { isUrl } from "@quarry/base";
import type { PageText } from "../evidence.ts";
import type { Entity, EntityProperties, WorkFields } from "./entity.ts";
import { firstLines } from "./first-lines.ts";
import { canonicalAddress } from "./page-urls.ts";
import { openGraph, structuredItems, textIn, textsIn } from "./structured-items.ts";

/** Texts are entities themselves, one a page: articles, papers, and whatever a custom search lists. */
export function findWorks(
  pages: readonly PageText[],
  type: "article" | "research_paper" | "custom",
): readonly Entity[] {
  return pages
    .filter(({ text, title }) => text.trim() !== "" || title !== null)
    .filter((page) => type === "custom" || isArticle(page))
    .map((page) => workOf(page, type));
}

/** What a site says of itself rather than publishes, in some of the languages that sites have such pages in. */
const OF_THE_SITE =
  /^(?:index|home|start|welcome|about|about-us|aboutus|company|who-we-are|contact|contact-us|pricing|prices|plans|team|our-team|people|staff|careers?|jobs|products?|services|solutions|features|shop|customers|clients|partners|support|help|faq|login|signup|sign-up|demo|imprint|impressum|kontakt|ueber-uns|uber-uns|privacy|privacy-policy|datenschutz|terms|legal|legal-notice|mentions-legales|cookies|cookie-policy|news|blog|press|archive|search|sitemap|locations?|category|categories|tags?|authors?)$/i;
const ARTICLE = /^(?:\w*Article|BlogPosting|Report|Thesis|Review)$/;

/**
 * Whether a page may be a text that somebody published: any but a home page and those that a site has about itself, unless their
 * data say that they are. What has no sign of either, as documents given as text have none, is left to the criteria.
 */
function isArticle(page: PageText): boolean {
  if (!/^https?:\/\//i.test(page.url) || !isUrl(page.url)) return true;
  const { pathname, search } = new URL(page.url);
  const parts = pathname.split("/").filter((part) => part !== "" && !LANGUAGE.test(part));
  const last = parts.at(-1)?.replace(/\.(?:html?|php|aspx?)$/i, "") ?? "";
  const isGraphArticle = openGraph(page)["og:type"] === "article";
  if (last === "" || /^index$/i.test(last)) return isGraphArticle || search !== "";
  const isData = structuredItems(page).some(({ types }) => types.some((type) => ARTICLE.test(type)));
  // many sites call every page of theirs but the first an article in OpenGraph, and none in JSON-LD
  if (OF_THE_SITE.test(last) && parts.length <= 2) return isData;
  if (isData || isGraphArticle || isGiven(page.publishedDate) || isGiven(page.author)) return true;
  return !OF_THE_SITE.test(parts[0] ?? "") || /^(?:news|blog|press|archive)$/i.test(parts[0] ?? "");
}

function isGiven(value: string | null | undefined): boolean {
  return value !== null && value !== undefined && value !== "";
}

/** "/en/", "/de-at/". */
const LANGUAGE = /^[a-z]{2}(?:[-_][a-z]{2})?$/i;

const WORK =
  /^(?:\w*Article|BlogPosting|Report|Book|Thesis|Dataset|CreativeWork|Product|Event|Recipe|SoftwareApplication|Course|JobPosting|Place)$/;

function workOf(page: PageText, type: "article" | "research_paper" | "custom"): Entity {
  const item = structuredItems(page).find(({ types }) => types.some((one) => WORK.test(one)));
  const title = textIn(item, "headline", "name") ?? page.title ?? page.text.split("\n")[0]?.slice(0, 200) ?? null;
  const authors = textsIn(item, "author");
  const fields: WorkFields = {
    author: page.author ?? (authors.length === 0 ? null : authors.join(", ")),
    publishedAt: page.publishedDate ?? textIn(item, "datePublished"),
    title,
  };
  const base = { url: page.url, description: textIn(item, "abstract", "description") ?? firstLines(page) };
  const content = page.text;
  const properties: EntityProperties =
    type === "article"
      ? { ...base, type, article: fields, content }
      : type === "research_paper"
        ? { ...base, type, researchPaper: fields, content }
        : { ...base, type, custom: fields, content };
  const address = `page:${canonicalAddress(page.url)}`;
  const name = title ?? page.url;
  return {
    type,
    name,
    aliases: [],
    url: page.url,
    properties,
    pages: [page.url],
    key: `${type}:${type === "research_paper" ? (paperId(page) ?? address) : address}`,
    sameAs: [
      address,
      ...(type === "research_paper" ? [paperId(page), titleId(title)].filter((one) => one !== undefined) : []),
    ],
  };
}

/** A paper is the same wherever it stands: by DOI or arXiv number. */
function paperId(page: PageText): string | undefined {
  const arxiv = /arxiv\.org\/(?:abs|pdf|html)\/(\d{4}\.\d{4,5})/i.exec(page.url)?.[1];
  if (arxiv !== undefined) return `arxiv:${arxiv}`;
  const doi =
    /\b10\.\d{4,9}\/[^\s"<>]+/.exec(page.url)?.[0] ??
    /\bdoi(?:\.org\/|:\s?)(10\.\d{4,9}\/[^\s"<>,;)]+)/i.exec(page.text.slice(0, 3_000))?.[1];
  return doi === undefined ? undefined : `doi:${doi.toLowerCase().replace(/(?<![.,)])[.,)]+$/, "")}`;
}

const MIN_TITLE_WORDS = 4;

/** A long title is as good as a number. */
function titleId(title: string | null): string | undefined {
  const words = (title ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length < MIN_TITLE_WORDS ? undefined : `title:${words.join(" ")}`;
}
