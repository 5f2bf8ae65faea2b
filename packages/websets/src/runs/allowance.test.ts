import type { Database } from "@quarry/store";
import { expect, it } from "vitest";
import { bookUnit } from "./allowance.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

const never = new AbortController().signal;
const nothing = { read: () => Promise.resolve([]), work: () => Promise.resolve() };

/** Answers each try to book as told, and takes back what is given back. */
function bookings(...answers: readonly (() => Promise<boolean>)[]): Pick<WebsetsDeps, "database" | "llm" | "prices"> {
  const left = [...answers];
  const query = async (_: string, params: readonly unknown[]): Promise<readonly unknown[]> =>
    Number(params[1]) < 0 || (await left.shift()?.()) === true ? [{}] : [];
  const prices = { research: { page: 0, token: 0 } };
  return { database: { query } as unknown as Database, llm: undefined, prices: prices as WebsetsDeps["prices"] }; // nothing else is asked
}

it("tries again where another gave back while there was no room", async () => {
  const deps = bookings(
    () => Promise.resolve(true),
    async () => {
      await first?.spend(nothing.read, nothing.work);
      return false;
    },
    () => Promise.resolve(true),
  );
  const first = await bookUnit(deps, "webset_1", never);
  expect(await bookUnit(deps, "webset_1", never)).toBeDefined();
});

it("gives up where nobody can give back", async () => {
  const deps = bookings(() => Promise.resolve(false));
  expect(await bookUnit(deps, "webset_2", never)).toBeUndefined();
});
