import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { AppError } from "@quarry/base";
import type { PageReading } from "../read-page.ts";

/** A page of the sample, one line of its file, in the form `POST /quarry/v1/documents` takes. */
export interface SamplePage {
  readonly url: string;
  /** SPDX identifier of the licence under which the page may be passed on. */
  readonly licence: string;
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  /** ISO 8601, where the source states it. */
  readonly publishedDate?: string | undefined;
  readonly category?: string | undefined;
  /** The page as its site serves it, or a text that is its own source. */
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  /** What extraction made of `html`. */
  readonly reading?: SampleReading | undefined;
}

/** A page's reading as JSON holds it; its links, which only crawls follow, are left out. */
export interface SampleReading extends Omit<PageReading, "sourceMap" | "publishedAt"> {
  /** In base64. */
  readonly sourceMap: string | null;
  /** ISO 8601. */
  readonly publishedAt?: string | undefined;
}

/** Where some of the sample's pages come from. */
export interface SampleSourceFacts {
  /** Names its file, `pages/<id>.ndjson.br`. */
  readonly id: string;
  readonly name: string;
  readonly licence: string;
  /** Who is to be named. */
  readonly attribution: string;
  /** The Debian or npm package the pages were taken from. */
  readonly package: string;
  readonly kind: "debian" | "npm";
  readonly pages: number;
}

/** What the sample consists of. */
export interface SampleManifest {
  readonly format: 1;
  /** When the pages were taken. */
  readonly fetchedAt: string;
  readonly sources: readonly SampleSourceFacts[];
}

/** The sample's vectors, beside its manifest. */
export const SAMPLE_VECTORS_FILE = "vectors.bin";

const decompress = promisify(brotliDecompress);

/** Reads `manifest.json` of a sample's folder; throws `internal` when there is none that this program knows. */
export async function readSampleManifest(directory: string): Promise<SampleManifest> {
  const file = path.join(directory, "manifest.json");
  const manifest = await readJson(file);
  if (typeof manifest !== "object" || manifest === null || !("format" in manifest) || manifest.format !== 1) {
    throw new AppError("internal", `${file} is not a sample of format 1: install again, or set QUARRY_SAMPLE=0`);
  }
  return manifest as SampleManifest;
}

/** The pages of one source. */
export async function readSamplePages(directory: string, sourceId: string): Promise<readonly SamplePage[]> {
  const packed = await readFile(path.join(directory, "pages", `${sourceId}.ndjson.br`));
  const lines = (await decompress(packed)).toString("utf8").split("\n");
  return lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line) as SamplePage]));
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw new AppError("internal", `the sample's ${file} cannot be read: install again, or set QUARRY_SAMPLE=0`, {
      cause,
    });
  }
}
