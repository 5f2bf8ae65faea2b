import type { PageSectionName } from "@quarry/contract";
import { decodeText } from "@quarry/crawl";
import { readSections, syntaxOfType, type PageSection } from "@quarry/extract";
import type { SnapshotStore } from "@quarry/ingest";
import type { ContentPage } from "./content-page.ts";
import type { TextPlan } from "./contents-plan.ts";
import { cutText } from "./cut-text.ts";
import { toLightHtml } from "./light-html.ts";

/** What a text needs from outside. */
export interface TextDeps {
  readonly snapshots: Pick<SnapshotStore, "get">;
}

/** Pages larger than this are read again for nobody: they would hold up everyone else. */
const MAX_REREAD_BYTES = 2 * 1024 * 1024;

/** The page's text as it was asked for: Markdown or light HTML, its main text or more of it. Empty when it has none. */
export async function readTextContent(deps: TextDeps, page: ContentPage, plan: TextPlan): Promise<string> {
  const markdown = (await chooseMarkdown(deps, page, plan)).trim();
  const limit = plan.maxCharacters ?? Infinity;
  return plan.asHtml ? toLightHtml(markdown, limit) : cutText(markdown, limit);
}

async function chooseMarkdown(deps: TextDeps, page: ContentPage, plan: TextPlan): Promise<string> {
  const mainText = page.markdown === "" ? page.text : page.markdown;
  const { verbosity, includeSections, excludeSections } = plan;
  if (verbosity === "compact" && includeSections === undefined && excludeSections === undefined) return mainText;
  const isWanted = (section: PageSectionName): boolean =>
    includeSections === undefined
      ? VERBOSITY_SECTIONS[verbosity].includes(section) && excludeSections?.includes(section) !== true
      : includeSections.includes(section) && excludeSections?.includes(section) !== true;
  const runs = (await rereadSections(deps, page)) ?? [{ section: "body" as const, markdown: mainText }];
  const parts = runs.filter(({ section }) => isWanted(section)).map(({ markdown }) => markdown);
  return [...(isWanted("metadata") ? [describe(page)] : []), ...parts].filter((part) => part !== "").join("\n\n");
}

/** More and more of the page. A list of sections takes the place of this. */
const VERBOSITY_SECTIONS: Readonly<Record<TextPlan["verbosity"], readonly PageSectionName[]>> = {
  compact: ["body"],
  standard: ["body", "header"],
  full: ["body", "header", "navigation", "banner", "sidebar", "footer", "metadata", "unspecified"],
};

/** The parts of the page as it was read; undefined when it is no HTML page, or its bytes are gone. */
async function rereadSections(
  deps: TextDeps,
  page: ContentPage,
): Promise<readonly { readonly section: PageSection; readonly markdown: string }[] | undefined> {
  const syntax = syntaxOfType(page.mediaType);
  if (syntax === undefined || page.snapshotId === null) return undefined;
  const bytes = await deps.snapshots.get(page.snapshotId);
  if (bytes === undefined || bytes.byteLength > MAX_REREAD_BYTES) return undefined;
  const { text } = decodeText(bytes, "markup", page.charset ?? undefined);
  return readSections({ url: page.url, html: text, syntax });
}

function describe(page: ContentPage): string {
  const facts = [
    ["Title", page.title],
    ["Author", page.author],
    ["Published", page.publishedAt?.toISOString() ?? null],
    ["Site", page.siteName],
    ["Description", page.description],
  ];
  return facts.flatMap(([name, value]) => (value == null ? [] : [`${name ?? ""}: ${value}`])).join("\n");
}
