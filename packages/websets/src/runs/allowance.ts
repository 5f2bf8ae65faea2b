import { limitLlm, type LimitedLlm } from "@quarry/models";
import { bookExpense } from "@quarry/store";
import { PAGES_PER_UNIT } from "./gather-pages.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Tokens that one unit may spend on a language model: its pages' best parts and a short reply. */
export const TOKENS_PER_UNIT = 40_000;

/** What a unit may use, booked before it begins. */
export interface Allowance {
  readonly llm: LimitedLlm | undefined;
  /** Does the unit's reading and its work, and gives back what they did not use, also when they fail. Call it once. */
  readonly spend: <Page, Result>(
    read: () => Promise<readonly Page[]>,
    work: (pages: readonly Page[]) => Promise<Result>,
  ) => Promise<{ readonly pages: readonly Page[]; readonly result: Result; readonly expense: UnitExpense }>;
}

/** What a unit used. */
export interface UnitExpense {
  readonly pages: number;
  readonly tokens: number;
  readonly costDollars: number;
}

/** What a unit used that was given up before it began. */
export const NOTHING_SPENT: UnitExpense = { pages: 0, tokens: 0, costDollars: 0 };

/**
 * Books the most that a unit can use, after others of this process have given back what they did not use where the room is
 * short. Undefined when it would pass a cap of the webset even then. A unit that dies leaves its booking behind: the caps are
 * never passed, at worst they are reached early. Rejects on abort.
 */
export async function bookUnit(
  deps: Pick<WebsetsDeps, "database" | "llm" | "prices">,
  websetId: string,
  signal: AbortSignal,
): Promise<Allowance | undefined> {
  const price = { page: deps.prices.research.page, token: deps.prices.research.token };
  const tokens = deps.llm === undefined ? 0 : TOKENS_PER_UNIT;
  const most = { pages: PAGES_PER_UNIT, tokens, costDollars: PAGES_PER_UNIT * price.page + tokens * price.token };
  const release = await waitForRoom(websetId, () => bookExpense(deps.database, websetId, most), signal);
  if (release === undefined) return undefined;
  const llm = deps.llm === undefined ? undefined : limitLlm(deps.llm, { maxTokens: tokens });
  const giveBack = async (pages: number): Promise<UnitExpense> => {
    const unused = { pages: most.pages - pages, tokens: tokens - (llm?.spent().tokens ?? 0) };
    const costDollars = unused.pages * price.page + unused.tokens * price.token;
    await bookExpense(deps.database, websetId, {
      pages: -unused.pages,
      tokens: -unused.tokens,
      costDollars: -costDollars,
    });
    return { pages, tokens: tokens - unused.tokens, costDollars: most.costDollars - costDollars };
  };
  return {
    llm,
    spend: async (read, work) => {
      let readCount = 0;
      let settled: Promise<UnitExpense> | undefined;
      const settle = (): Promise<UnitExpense> => (settled ??= giveBack(readCount));
      try {
        const pages = await read();
        readCount = pages.length;
        const result = await work(pages);
        return { pages, result, expense: await settle() };
      } catch (error) {
        // The next try books anew: what this one left booked would eat up the caps.
        await settle();
        throw error;
      } finally {
        release();
      }
    },
  };
}

/** What units of this process have booked and not yet given back, by webset. */
const held = new Map<string, Set<Promise<void>>>();
/** The last try to book of each webset: tries come one after another, so that each sees what the one before it holds. */
const tries = new Map<string, Promise<unknown>>();

/** Books, and answers what tells the others that it was given back; undefined when there is no room and nobody holds any. */
async function waitForRoom(
  websetId: string,
  book: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  for (;;) {
    signal.throwIfAborted();
    const before = tries.get(websetId) ?? Promise.resolve();
    const turn = before.then(async () => {
      // before booking: what is given back while that is refused must be tried for again
      const holders = [...(held.get(websetId) ?? [])];
      return (await book()) ? hold(websetId) : holders;
    });
    const mine = turn.catch(() => undefined);
    tries.set(websetId, mine);
    const outcome = await turn.finally(() => {
      if (tries.get(websetId) === mine) tries.delete(websetId);
    });
    if (!Array.isArray(outcome)) return outcome;
    if (outcome.length === 0) return undefined;
    await Promise.race(outcome);
  }
}

function hold(websetId: string): () => void {
  const others = held.get(websetId) ?? new Set();
  held.set(websetId, others);
  let tell = (): void => undefined;
  const booking = new Promise<void>((resolve) => {
    tell = resolve;
  });
  others.add(booking);
  return () => {
    others.delete(booking);
    if (others.size === 0) held.delete(websetId);
    tell();
  };
}
