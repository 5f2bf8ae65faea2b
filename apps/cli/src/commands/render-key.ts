import type { ApiKeyReply } from "@quarry/contract";
import type { Output } from "../cli-context.ts";
import type { CommandIo } from "../command-io.ts";
import { formatDollars, formatTime } from "../format.ts";
import { renderPairs, renderTable } from "../table.ts";

/** Prints a key with its secret, and says that it is the only time. */
export function printSecret(io: CommandIo, key: ApiKeyReply & { readonly key: string }): void {
  io.print(key, (output) => `${renderPairs(output, [["Key", key.key]])}\n${renderKey(output, key)}`);
  io.say("The key is shown only now: keep it.");
}

/** Keys as a table. */
export function renderKeys(output: Output, keys: readonly ApiKeyReply[]): string {
  return renderTable(
    output,
    [
      { heading: "ID", text: ({ id }) => id },
      { heading: "NAME", text: ({ name }) => name },
      { heading: "ENDS ON", text: ({ hint }) => hint },
      { heading: "STATUS", text: ({ status }) => status },
      { heading: "SCOPES", text: ({ scopes }) => scopes.join(",") },
      { heading: "SPENT $", text: ({ spentDollars }) => formatDollars(spentDollars), align: "right" },
      { heading: "LAST USED", text: ({ lastUsedAt }) => formatTime(lastUsedAt) },
      { heading: "EXPIRES", text: ({ expiresAt }) => formatTime(expiresAt) },
    ],
    keys,
  );
}

/** One key, field by field. */
export function renderKey(output: Output, key: ApiKeyReply): string {
  const budget = key.budgetDollars === null ? "no budget" : `of ${formatDollars(key.budgetDollars)}`;
  return renderPairs(output, [
    ["Id", key.id],
    ["Name", key.name],
    ["Ends on", key.hint],
    ["Status", key.status],
    ["Scopes", key.scopes.join(", ")],
    ["Spent", `$${formatDollars(key.spentDollars)} (${budget})`],
    ["Rate limit", key.rateLimitPerSecond === null ? "-" : `${key.rateLimitPerSecond} per second`],
    ["Created", formatTime(key.createdAt)],
    ["Last used", formatTime(key.lastUsedAt)],
    ["Expires", formatTime(key.expiresAt)],
    ["Revoked", formatTime(key.revokedAt)],
    ["Old secret ends", formatTime(key.previousSecretExpiresAt)],
  ]);
}
