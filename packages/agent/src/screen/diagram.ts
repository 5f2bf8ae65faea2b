import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "@quarry/base";
import { writeWholeFile } from "../workspace/write-file.ts";
import type { Chromium } from "./chromium.ts";

/** The longest diagram that is read; mermaid's own limit. */
export const MAX_DIAGRAM_CHARACTERS = 50_000;
const RENDER_MS = 20_000;

/** What is wrong with a diagram, with its line where there is one; undefined for a good one. */
export async function checkDiagram(content: string): Promise<string | undefined> {
  if (content.trim() === "") return "line 1: the diagram is empty; begin with its kind, such as flowchart TD";
  if (content.length > MAX_DIAGRAM_CHARACTERS) {
    return `the diagram has ${content.length} characters, more than the ${MAX_DIAGRAM_CHARACTERS} that are read`;
  }
  const mermaid = await loadMermaid();
  try {
    await mermaid.parse(content);
    return undefined;
  } catch (error) {
    return describe(content, error instanceof Error ? error.message : String(error));
  }
}

/** Draws a good diagram as `<name>.svg` and `<name>.png` in a directory; returns the two files. */
export async function drawDiagram(
  chromium: Chromium,
  content: string,
  target: { readonly directory: string; readonly name: string },
): Promise<{ readonly svg: string; readonly png: string }> {
  const { browser, giveBack } = await chromium.take();
  try {
    // Nothing of a diagram is fetched from anywhere.
    const context = await browser.newContext({ offline: true });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(RENDER_MS);
      await page.setContent('<!doctype html><body style="margin:0"><div id="out"></div></body>');
      await page.addScriptTag({ path: scriptFile() });
      const svg: unknown = await page.evaluate(`(${DRAW})(${JSON.stringify(content)})`);
      if (typeof svg !== "string") throw new AppError("internal", "mermaid drew nothing");
      const png = await page.locator("#out svg").screenshot();
      const files = {
        svg: path.join(target.directory, `${target.name}.svg`),
        png: path.join(target.directory, `${target.name}.png`),
      };
      await mkdir(target.directory, { recursive: true, mode: 0o700 });
      await writeWholeFile(files.svg, Buffer.from(svg), 0o600);
      await writeWholeFile(files.png, png, 0o600);
      return files;
    } finally {
      await context.close();
    }
  } finally {
    giveBack();
  }
}

/** Runs in the page: `mermaid` is there. */
const DRAW = `async (content) => {
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
  const { svg } = await mermaid.render("diagram", content);
  document.getElementById("out").innerHTML = svg;
  return svg;
}`;

interface Mermaid {
  readonly parse: (text: string) => Promise<unknown>;
}
let loaded: Promise<Mermaid> | undefined;

/**
 * mermaid is large and most processes never need it. Its sanitiser finds no document here and then lacks what mermaid
 * calls while it reads; reading draws nothing, so there is nothing to make safe.
 */
function loadMermaid(): Promise<Mermaid> {
  loaded ??= (async () => {
    const purifyFile = path.join(path.dirname(fromMermaid().resolve("dompurify")), "purify.es.mjs");
    const { default: purify } = (await import(pathToFileURL(purifyFile).href)) as { default: Record<string, unknown> };
    purify["addHook"] ??= () => undefined;
    purify["sanitize"] ??= (text: string) => text;
    return (await import("mermaid")).default;
  })();
  return loaded;
}

/** Finds what mermaid itself would find. */
function fromMermaid(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve("mermaid"));
}

function scriptFile(): string {
  return path.join(path.dirname(createRequire(import.meta.url).resolve("mermaid")), "mermaid.min.js");
}

/** mermaid counts lines after it took away front matter, comments and directives: they are counted as written here. */
function describe(content: string, message: string): string {
  const [, counted] = /(?:on|at) line (\d+)/i.exec(message) ?? [];
  const lines = message.split("\n").map((line) => line.trim());
  // Before a line that points with ^ stands a part of the diagram, which is shown whole here.
  const said = lines.filter((line, index) => line !== "" && !isPointer(line) && !isPointer(lines[index + 1])).join(" ");
  if (counted === undefined) return `line ${firstLine(content)}: ${said}`.slice(0, MAX_MESSAGE);
  const kept = keptLines(content);
  const line = kept[Math.min(Number(counted), kept.length) - 1] ?? 1;
  const text = (content.split("\n")[line - 1] ?? "").trim().slice(0, 200);
  return `line ${line}: "${text}": ${said.replace(/^.{0,200}?line \d{1,9}[^:]{0,200}:\s*/i, "")}`.slice(0, MAX_MESSAGE);
}

const MAX_MESSAGE = 1_000;

function isPointer(line: string | undefined): boolean {
  return line !== undefined && /^-*\^$/.test(line);
}

function firstLine(content: string): number {
  return keptLines(content)[0] ?? 1;
}

/** The numbers of the lines that mermaid reads. */
function keptLines(content: string): readonly number[] {
  const lines = content.split("\n");
  const isMatter = lines[0]?.trim() === "---";
  const end = isMatter ? lines.findIndex((line, index) => index > 0 && line.trim() === "---") : -1;
  const numbered = lines.map((line, index) => ({ line, number: index + 1 })).slice(end + 1);
  const read = numbered.filter(({ line }) => !/^\s*%%/.test(line));
  const first = read.findIndex(({ line }) => line.trim() !== "");
  return read.slice(Math.max(0, first)).map(({ number }) => number);
}
