import type { Database } from "./database.ts";

/**
 * Ends every lease on jobs, webhook deliveries and requests with an Idempotency-Key, so that what a killed process had in hand
 * is taken up at once instead of when its lease has run out, up to a minute later. Only for a process that knows that it is the
 * first and only one on this database, before it takes leases of its own; the try of each counts, as ever.
 */
export async function endLeases(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(
      "UPDATE jobs SET lease_expires_at = now() WHERE lease_token IS NOT NULL AND lease_expires_at > now()",
    );
    await tx.query(
      "UPDATE webhook_deliveries SET lease_expires_at = now() WHERE state = 'sending' AND lease_expires_at > now()",
    );
    await tx.query(
      "UPDATE idempotent_requests SET lease_until = now() WHERE reply_status IS NULL AND lease_until > now()",
    );
  });
}
