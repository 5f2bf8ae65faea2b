import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { IndexFilter } from "@quarry/retrieval";
import { makeGeneratedPlace } from "./generated-pages.ts";

/** Figures by name. */
export type Figures = Readonly<Record<string, number>>;

/** Of every vector, in numbers. */
export const DIMENSIONS = 384;
export const QUERIES = 200;
export const VECTOR_QUERIES = 60;
export const BATCH_ROWS = 200;

/** A filter for vectors: as our index takes it, as the engine does, and as it is checked. */
export interface VectorFilter {
  readonly name: string;
  readonly filter: Partial<IndexFilter>;
  readonly condition: string | undefined;
  readonly passes: (place: ReturnType<typeof makeGeneratedPlace>) => boolean;
}

const RECENT = Date.UTC(2025, 6, 1);
/** What vectors are searched under. */
export const VECTOR_FILTERS: readonly VectorFilter[] = [
  { name: "vector", filter: {}, condition: undefined, passes: () => true },
  {
    name: "vector + domain",
    filter: { includeDomains: ["site100.example"] },
    condition: "host = 'site100.example'",
    passes: ({ url }) => url.startsWith("https://site100.example/"),
  },
  {
    name: "vector + date",
    filter: { publishedFrom: new Date(RECENT) },
    condition: `published >= ${RECENT}`,
    passes: ({ publishedAt }) => (publishedAt?.getTime() ?? 0) >= RECENT,
  },
];

/** The last vectors are the queries; the others belong to pages. */
export async function measureVectors(
  name: string,
  vectors: readonly Float32Array[],
  passes: VectorFilter["passes"],
  search: (vector: Float32Array) => Promise<readonly string[]>,
): Promise<Figures> {
  const places = vectors.slice(0, -VECTOR_QUERIES).map((_, number) => makeGeneratedPlace(number));
  const passing = places.flatMap((place, number) => (passes(place) ? [{ url: place.url, number }] : []));
  let [right, all] = [0, 0];
  const times: number[] = [];
  for (const query of vectors.slice(-VECTOR_QUERIES)) {
    const scored = passing.map(({ url, number }) => {
      const vector = vectors[number] ?? missing();
      let score = 0;
      for (let axis = 0; axis < vector.length; axis += 1) score += (vector[axis] ?? 0) * (query[axis] ?? 0);
      return { url, score };
    });
    const nearest = scored.sort((one, other) => other.score - one.score).slice(0, 10);
    const truth = new Set(nearest.map(({ url }) => url));
    let found: readonly string[] = [];
    times.push(await timed(async () => (found = await search(query))));
    right += found.filter((url) => truth.has(url)).length;
    all += truth.size;
  }
  return { ...percentiles(name, times), [`${name} recall`]: right / Math.max(1, all) };
}

export async function measure(
  name: string,
  queries: readonly string[],
  search: (text: string) => Promise<unknown>,
): Promise<Figures> {
  for (const text of queries.slice(0, 20)) await search(text);
  const times: number[] = [];
  const cost = startClock();
  for (const text of queries) times.push(await timed(() => search(text)));
  return { ...percentiles(name, times), [`${name} CPU ms`]: (cost().cpuS * 1_000) / queries.length };
}

export function percentiles(name: string, times: readonly number[]): Figures {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { [`${name} p50 ms`]: at(0.5), [`${name} p95 ms`]: at(0.95) };
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export function startClock(): () => { readonly wallS: number; readonly cpuS: number } {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wallS: (performance.now() - wall) / 1_000, cpuS: (user + system) / 1e6 };
  };
}

export function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(path.join(file.parentPath, file.name)).size, 0);
}

export function missing(): never {
  throw new Error("there are as many vectors as pages");
}

/** Memory of this process. */
export function residentMb(): number {
  return process.memoryUsage().rss / 1_024 ** 2;
}
