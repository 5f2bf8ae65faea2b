import type { ResearchCitation } from "@quarry/contract";
import type { Quote } from "../evidence/quote.ts";
import type { NotedClaim, RunTask } from "./research-run.ts";

/** A report and the sources it cites, numbered as in its text. */
export interface Report {
  readonly content: string;
  readonly citations: readonly ResearchCitation[];
}

/** Numbers the sources of a report in the order in which they are first cited. */
export class SourceList {
  readonly #quotes = new Map<string, Quote>();

  /** The marks behind a claim: a link for each page it rests on. */
  cite(quotes: readonly Quote[]): string {
    const urls = new Set<string>();
    for (const quote of quotes) {
      if (!this.#quotes.has(quote.url)) this.#quotes.set(quote.url, quote);
      urls.add(quote.url);
    }
    const numbers = [...this.#quotes.keys()];
    return [...urls].map((url) => `[[${numbers.indexOf(url) + 1}]](${url})`).join("");
  }

  citations(): readonly ResearchCitation[] {
    return Array.from(this.#quotes.values(), ({ url, title, text }) => ({ id: url, url, title, snippet: text }));
  }

  /** The list at the end of a report. */
  section(): string {
    const lines = this.citations().map(({ title, url }, index) => `${index + 1}. [${title}](${url})`);
    return lines.length === 0 ? "" : `## Sources\n\n${lines.join("\n")}\n`;
  }
}

/** What a task found, as a list of claims with their sources. */
export function writeTaskResult(claims: readonly NotedClaim[]): string {
  if (claims.length === 0) return "The pages that were read do not answer this.";
  const sources = new SourceList();
  return claims.map(({ text, quotes }) => `- ${text} ${sources.cite(quotes)}`).join("\n");
}

/** The report without a model: a section for each question, made of what its task found, every sentence with its source. */
export function writeDigest(instructions: string, tasks: readonly RunTask[]): Report {
  const sources = new SourceList();
  const title = instructions.split("\n")[0]?.trim().slice(0, 120) ?? "";
  const sections = tasks.map(({ instructions: question, claims = [] }) => {
    const body =
      claims.length === 0
        ? "_The pages that were read do not answer this._"
        : paragraphsOf(claims, sources).join("\n\n");
    return tasks.length === 1 ? body : `## ${question.slice(0, 1).toUpperCase()}${question.slice(1)}\n\n${body}`;
  });
  const content = [`# ${title}`, ...sections, sources.section()].filter((part) => part !== "").join("\n\n");
  return { content, citations: sources.citations() };
}

/** Claims with their marks; those of one page make a paragraph. */
function paragraphsOf(claims: readonly NotedClaim[], sources: SourceList): readonly string[] {
  const paragraphs: { url: string | undefined; lines: string[] }[] = [];
  for (const { text, quotes } of claims) {
    const url = quotes[0]?.url;
    const line = `${text} ${sources.cite(quotes)}`;
    const last = paragraphs.at(-1);
    if (last !== undefined && last.url === url) last.lines.push(line);
    else paragraphs.push({ url, lines: [line] });
  }
  return paragraphs.map(({ lines }) => lines.join(" "));
}
