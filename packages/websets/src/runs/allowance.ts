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
 * Books the most that a unit can use. Undefined when that would pass a cap of the webset. A unit that dies leaves its booking
 * behind: the caps are never passed, at worst they are reached early.
 */
export async function bookUnit(
  deps: Pick<WebsetsDeps, "database" | "llm" | "prices">,
  websetId: string,
): Promise<Allowance | undefined> {
  const price = { page: deps.prices.research.page, token: deps.prices.research.token };
  const tokens = deps.llm === undefined ? 0 : TOKENS_PER_UNIT;
  const most = { pages: PAGES_PER_UNIT, tokens, costDollars: PAGES_PER_UNIT * price.page + tokens * price.token };
  if (!(await bookExpense(deps.database, websetId, most))) return undefined;
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
      const done = await (async () => {
        const pages = await read();
        readCount = pages.length;
        return { pages, result: await work(pages) };
      })().catch(async (error: unknown) => {
        // The next try books anew: what this one left booked would eat up the caps.
        await giveBack(readCount);
        throw error;
      });
      return { ...done, expense: await giveBack(readCount) };
    },
  };
}
