import type { SearchOutput } from "@quarry/contract";
import type { ContentPage } from "./content-page.ts";
import type { ContentWriter } from "./content-writer.ts";
import { confidenceOf, findEvidence, type Evidence } from "./evidence.ts";
import { fillSchema } from "./fill-schema.ts";
import type { ScoreSentences } from "./sentence-scorer.ts";
import type { OutputWish } from "./output-schema.ts";

const MAX_SENTENCES = 5;
const MAX_PER_PAGE = 2;
const MAX_PAGES = 10;

/** What an output is to be, and of what. */
export interface OutputRequest {
  readonly output: OutputWish;
  readonly query: string;
  /** What to look at beside the query. */
  readonly systemPrompt: string | undefined;
  readonly pages: readonly ContentPage[];
}

/**
 * The output that an outputSchema asked for, made of sentences and values that stand on the pages, each with the pages
 * it stands on. Needs no model; what the pages do not say is not said.
 */
export function composeOutput(scoreSentences: ScoreSentences, wish: OutputRequest): SearchOutput {
  const query = [wish.query, wish.systemPrompt].filter((part) => part !== undefined).join(" ");
  if (wish.output.kind === "object") {
    const { content, grounding } = fillSchema(scoreSentences, { schema: wish.output.schema, query, pages: wish.pages });
    return { content: { ...content }, grounding: [...grounding] };
  }
  const about = [query, wish.output.description].filter((part) => part !== undefined).join(" ");
  const chosen = chooseSentences(findEvidence(scoreSentences, wish.pages.slice(0, MAX_PAGES), about));
  const confidence = confidenceOf(Math.max(0, ...chosen.map(({ score }) => score)));
  return {
    content: chosen.map(({ text }) => text).join(" "),
    grounding: groundText(
      chosen.map(({ page }) => page),
      confidence,
    ),
  };
}

/** The same by the language model; undefined when nothing it wrote holds. */
export async function writeOutput(
  writer: ContentWriter,
  wish: OutputRequest,
  signal: AbortSignal,
): Promise<SearchOutput | undefined> {
  const { output, query, systemPrompt } = wish;
  const pages = wish.pages.slice(0, MAX_PAGES);
  if (output.kind === "object") {
    const filled = await writer.fill(pages, { schema: output.schema, query, systemPrompt }, signal);
    return filled === undefined ? undefined : { content: { ...filled.content }, grounding: [...filled.grounding] };
  }
  const about = [systemPrompt, output.description].filter((part) => part !== undefined).join("\n");
  const written = await writer.write(pages, { query, systemPrompt: about === "" ? undefined : about }, signal);
  return written === undefined ? undefined : { content: written.text, grounding: groundText(written.pages, "high") };
}

function groundText(pages: readonly ContentPage[], confidence: "low" | "medium" | "high"): SearchOutput["grounding"] {
  const citations = new Map(pages.map(({ url, title }) => [url, { url, title: title ?? url }]));
  return citations.size === 0 ? [] : [{ field: "content", citations: [...citations.values()], confidence }];
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
