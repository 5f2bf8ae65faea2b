import type { PageText } from "../evidence.ts";
import { firstLines } from "./company.ts";
import type { Entity, EntityProperties, WorkFields } from "./entity.ts";
import { canonicalAddress } from "./page-urls.ts";
import { structuredItems, textIn, textsIn } from "./structured-items.ts";

/** Texts are entities themselves, one a page: articles, papers, and whatever a custom search lists. */
export function findWorks(
  pages: readonly PageText[],
  type: "article" | "research_paper" | "custom",
): readonly Entity[] {
  return pages.filter(({ text, title }) => text.trim() !== "" || title !== null).map((page) => workOf(page, type));
}

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
