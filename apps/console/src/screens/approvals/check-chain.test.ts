import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { checkChain } from "./check-chain.ts";

function chainOf(entries: readonly string[]) {
  let before = Buffer.alloc(32);
  return entries.map((entry, index) => {
    before = createHash("sha256")
      .update(before)
      .update(`${index + 1}\n${entry}`)
      .digest();
    return { sequence: index + 1, entry, hash: before.toString("hex") };
  });
}

it("finds a chain whole, and the entry that was changed or taken out", async () => {
  const chain = chainOf(['{"a":1}', '{"b":"ü"}', '{"c":3}']);
  expect(await checkChain(chain)).toBeUndefined();
  expect(await checkChain(chain.map((one) => ({ ...one, entry: one.entry.replace("3", "4") })))).toEqual({
    sequence: 3,
    problem: "changed",
  });
  expect(await checkChain(chain.filter(({ sequence }) => sequence !== 2))).toEqual({ sequence: 2, problem: "missing" });
});
