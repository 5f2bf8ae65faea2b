import type { SearchOutput } from "@quarry/contract";
import type { ContentPage } from "./content-page.ts";
import { confidenceOf, findEvidence, type Evidence } from "./evidence.ts";
import { fillSchema } from "./fill-schema.ts";
import type { ScoreSentences } from "./sentence-scorer.ts";
import type { OutputWish } from "./output-schema.ts";

const MAX_SENTENCES = 5;
const MAX_PER_PAGE = 2;
const MAX_PAGES = 10;

/**
 * The output that an outputSchema asked for, made of sentences and values that stand on the pages, each with the pages
 * it stands on. Needs no model; what the pages do not say is not said.
 */
export function composeOutput(
  scoreSentences: ScoreSentences,
  wish: {
    readonly output: OutputWish;
    readonly query: string;
    /** What to look at beside the query. */
    readonly systemPrompt: string | undefined;
    readonly pages: readonly ContentPage[];
  },
): SearchOutput {
  const query = [wish.query, wish.systemPrompt].filter((part) => part !== undefined).join(" ");
  if (wish.output.kind === "object") {
    const { content, grounding } = fillSchema(scoreSentences, { schema: wish.output.schema, query, pages: wish.pages });
    return { content: { ...content }, grounding: [...grounding] };
  }
  const about = [query, wish.output.description].filter((part) => part !== undefined).join(" ");
  const chosen = chooseSentences(findEvidence(scoreSentences, wish.pages.slice(0, MAX_PAGES), about));
  const citations = new Map(chosen.map(({ page }) => [page.url, { url: page.url, title: page.title ?? page.url }]));
  return {
    content: chosen.map(({ text }) => text).join(" "),
    grounding:
      chosen.length === 0
        ? []
        : [
            {
              field: "content",
              citations: [...citations.values()],
              confidence: confidenceOf(Math.max(...chosen.map(({ score }) => score))),
            },
          ],
  };
}

/** The best sentences, not too many of one page, none twice. */
function chooseSentences(evidence: readonly Evidence[]): readonly Evidence[] {
  const chosen: Evidence[] = [];
  const texts = new Set<string>();
  const counts = new Map<string, number>();
  for (const one of evidence) {
    const count = counts.get(one.page.url) ?? 0;
    if (chosen.length >= MAX_SENTENCES) break;
    if (count >= MAX_PER_PAGE || texts.has(one.text)) continue;
    chosen.push(one);
    texts.add(one.text);
    counts.set(one.page.url, count + 1);
  }
  return chosen;
}
