import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { SamplePage } from "@quarry/ingest";

const inflate = promisify(gunzip);

const SITE = "http://www.catb.org/jargon/html";

/** Stories and chapters, by the page that has them on the web. */
const SECTIONS: Readonly<Record<string, string>> = {
  "distinctions.html": "Of Slang, Jargon, and Techspeak",
  "writing-style.html": "Hacker Writing Style",
  "speech-style.html": "Hacker Speech Style",
  "crackers.html": "Crackers, Phreaks, and Lamers",
  "meaning-of-hack.html": "The Meaning of ‘Hack’",
  "tv-typewriters.html": "TV Typewriters: A Tale of Hackish Ingenuity",
  "magic-story.html": "A Story About ‘Magic'",
  "koans.html": "Some AI Koans",
  "os-and-jedgar.html": "OS and JEDGAR",
  "story-of-mel.html": "The Story of Mel",
};

const ENTRIES = [
  "bogosity",
  "bug",
  "canonical",
  "cracker",
  "daemon",
  "dinosaur",
  "eat",
  "flame",
  "foo",
  "glitch",
  "grok",
  "hack",
  "hacker",
  "heisenbug",
  "kludge",
  "kluge",
  "lurker",
  "mainframe",
  "phreaking",
  "spam",
  "virus",
  "vaporware",
  "wizard",
  "worm",
  "zen",
] as const;

/** Cuts pages of the on-line Jargon File out of its edition as one text. */
export async function readJargonFile(root: string): Promise<readonly SamplePage[]> {
  const packed = await readFile(path.join(root, "usr/share/doc/jargon-text/jargon.txt.gz"));
  const text = (await inflate(packed)).toString("utf8");
  return [
    ...Object.entries(SECTIONS).map(([file, title]) => toPage(`${SITE}/${file}`, title, sectionOf(text, title))),
    ...ENTRIES.flatMap((word) => {
      const entry = entryOf(text, word);
      const url = `${SITE}/${word.charAt(0).toUpperCase()}/${word}.html`;
      return entry === undefined ? [] : [toPage(url, `${word} (Jargon File)`, entry)];
    }),
  ];
}

function toPage(url: string, title: string, text: string): SamplePage {
  return {
    url,
    licence: "LicenseRef-public-domain",
    title,
    author: "Eric S. Raymond",
    publishedDate: "2003-12-29T00:00:00.000Z",
    text,
  };
}

/** From a heading at the margin to the next one of a page. */
function sectionOf(text: string, title: string): string {
  const heading = new RegExp(`^(?:Chapter\\s\\d+\\.\\s)?${escape(title)}$`, "m");
  const start = heading.exec(text);
  if (start === null) throw new Error(`the Jargon File has no part called ${title}`);
  const rest = text.slice(start.index + start[0].length);
  const others = Object.values(SECTIONS).map(escape).join("|");
  const end = rest.search(new RegExp(`^(?:Chapter\\s\\d+\\.\\s.*|Appendix\\s[A-Z]\\.\\s.*|${others})$`, "m"));
  return joinLines(end === -1 ? rest : rest.slice(0, end));
}

function entryOf(text: string, word: string): string | undefined {
  const start = text.search(new RegExp(`^   :${escape(word)}:`, "m"));
  if (start === -1) return undefined;
  const rest = text.slice(start + 1);
  const end = rest.search(/^ {3}:[^:\n]+:/m);
  return joinLines(end === -1 ? rest : rest.slice(0, end));
}

/** Lines of a paragraph become one. */
function joinLines(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
