import type { AuditRecord } from "./approval-shapes.ts";

/** What is wrong with a chain, and where. */
export interface ChainBreak {
  readonly sequence: number;
  readonly problem: "missing" | "changed";
}

/**
 * Computes the chain of the audit log anew, in this browser, from its first entry: each hash is SHA-256 of the hash before,
 * the number, a line feed and the entry. Undefined when it holds.
 */
export async function checkChain(records: readonly AuditRecord[]): Promise<ChainBreak | undefined> {
  const encoder = new TextEncoder();
  let before = new Uint8Array(32);
  for (const [index, { sequence, entry, hash }] of records.entries()) {
    const expected = index + 1;
    if (sequence !== expected) return { sequence: expected, problem: "missing" };
    const told = encoder.encode(`${sequence}\n${entry}`);
    const bytes = new Uint8Array(before.length + told.length);
    bytes.set(before);
    bytes.set(told, before.length);
    before = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    if (toHex(before) !== hash) return { sequence, problem: "changed" };
  }
  return undefined;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
