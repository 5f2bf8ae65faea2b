import { FACT_FILLERS, FILLERS } from "./mini-web-words.ts";
import type { Random } from "./random.ts";

/** What a layout puts on a page. */
export interface PageParts {
  readonly company: string;
  readonly heading: string;
  readonly lead: string;
  /** Sentences, and short lines of the form "Label: value". */
  readonly statements: readonly string[];
  /** Names of other companies, for footers and side bars. */
  readonly others: readonly string[];
  readonly jsonLd: unknown;
  readonly random: Random;
}

/** Turns parts into the HTML of a page. */
export type Layout = (parts: PageParts) => string;

/** Layouts the rules were written against, and those they are measured on. */
export const LAYOUTS: Readonly<Record<"dev" | "test", readonly Layout[]>> = {
  dev: [
    ({ company, heading, lead, statements, others, random }) => `<!doctype html><html lang=en><head><meta charset=utf-8>
<title>${escape(heading)} | ${escape(company)}</title></head><body><header><nav><a href=/>Home</a> <a href=/about>About</a> <a href=/contact>Contact</a></nav></header>
<main><h1>${escape(heading)}</h1><p>${escape(lead)}
${mix(statements, random)
  .map((text) => `<p>${escape(text)}`)
  .join("\n")}
</main><footer><p>© 2026 ${escape(company)} · <a href=/imprint>Imprint</a> · Friends: ${escape(others.join(", "))}</footer></body></html>`,
    ({
      company,
      heading,
      lead,
      statements,
      jsonLd,
      random,
    }) => `<html><head><title>${escape(company)} - ${escape(heading)}</title>
<script type="application/ld+json">${JSON.stringify(jsonLd)}</script><script>window.dataLayer=[]</script></head>
<body class="page"><div id="cookie" style="position:fixed">We use cookies. <button>Accept</button></div>
<div class="wrap"><div class="hero"><h2>${escape(heading)}</h2><span>${escape(lead)}</span></div>
<div class="text"><div>${paragraphs(statements, random)
      .map((text) => `${escape(text)}<br><br>`)
      .join("\n")}</div>${table(statements)}</div></div></body></html>`,
    ({
      company,
      heading,
      lead,
      statements,
      random,
    }) => `<!DOCTYPE html><html><head><title>${escape(heading)} – ${escape(company)}</title>
<meta name="description" content="${escape(lead)}"></head><body><article><h1>${escape(company)}</h1><h2>${escape(heading)}</h2><p><strong>${escape(lead)}</strong></p>
${paragraphs(statements, random)
  .map((text) => `<p>${escape(text).replace(/(\d[\d,.]*)/, "<b>$1</b>")}</p>`)
  .join("")}${list(statements)}</article><aside><h3>Newsletter</h3><p>Get news by mail.</p></aside></body></html>`,
  ],
  test: [
    ({
      company,
      heading,
      lead,
      statements,
      others,
      random,
    }) => `<html lang="en"><head><title>${escape(company)}: ${escape(heading)}</title></head><body>
<ul class=menu><li><a href="/">Start</a><li><a href="/products">Products</a><li><a href="/jobs">Jobs</a></ul>
<section><h1>${escape(heading)}</h1><div class="intro">${escape(lead)}</div></section>
${mix(statements, random)
  .map((text) => `<section><p class="copy">${escape(text)}</p></section>`)
  .join("\n")}
<div class="logos">Trusted by <span>${others.map(escape).join("</span> <span>")}</span></div><div id=foot>${escape(company)} 2026</div>`,
    ({
      company,
      heading,
      lead,
      statements,
      jsonLd,
      random,
    }) => `<!doctype html><html><head><meta property="og:site_name" content="${escape(company)}"><meta property="og:title" content="${escape(heading)}">
<script type="application/ld+json">${JSON.stringify([jsonLd, { "@type": "WebSite", name: company }])}</script><title>${escape(heading)}</title></head><body><main><h1>${escape(company)}</h1>
<p>${escape(lead)}</p>${paragraphs(statements, random)
      .map(
        (text) =>
          `<p><span>${escape(text)
            .replace(/ /, "</span> <em>")
            .replace(/ (?=[^ ]+$)/, "</em> ")}</p>`,
      )
      .join("\n")}<dl>${facts(statements)
      .map(([label, value]) => `<dt>${escape(label)}</dt><dd>${escape(value)}</dd>`)
      .join("")}</dl></main></body></html>`,
    ({
      company,
      heading,
      lead,
      statements,
      random,
    }) => `<html><head><title>${escape(company)} | ${escape(heading)}</title></head><body><center><table width=90%><tr><td>
<font size=5>${escape(heading)}</font><p>${escape(lead)}<p>${mix(statements, random).map(escape).join("<p>")}</td></tr></table></center></body></html>`,
  ],
};

function mix(statements: readonly string[], random: Random): readonly string[] {
  return random.shuffle([...statements, ...random.take(FILLERS, 5)]);
}

/** Sentences in paragraphs of two or three, fillers between; short lines stay out. */
function paragraphs(statements: readonly string[], random: Random): readonly string[] {
  const sentences = mix(
    statements.filter((text) => !isFact(text)),
    random,
  );
  const grouped: string[] = [];
  for (let at = 0; at < sentences.length;) {
    const length = 1 + random.below(3);
    grouped.push(sentences.slice(at, at + length).join(" "));
    at += length;
  }
  return grouped;
}

function table(statements: readonly string[]): string {
  const rows = facts(statements).map(([label, value]) => `<tr><th>${escape(label)}<td>${escape(value)}`);
  return rows.length === 0 ? "" : `<table>${rows.join("")}</table>`;
}

function list(statements: readonly string[]): string {
  const lines = factLines(statements).map((text) => `<li>${escape(text)}`);
  return lines.length === 0 ? "" : `<ul>${lines.join("")}</ul>`;
}

function isFact(text: string): boolean {
  return /^[\w ]+: /.test(text);
}

/** Nobody makes a table of one row: what a page says in short stands among other short things. */
function factLines(statements: readonly string[]): readonly string[] {
  const own = statements.filter(isFact);
  return own.length === 0 ? [] : [...FACT_FILLERS.slice(0, 2), ...own, ...FACT_FILLERS.slice(2)];
}

function facts(statements: readonly string[]): readonly (readonly [string, string])[] {
  return factLines(statements).map((text) => {
    const at = text.indexOf(": ");
    return [text.slice(0, at), text.slice(at + 2)];
  });
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
