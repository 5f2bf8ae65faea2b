import { BodyStopError, type DialStop } from "../outcome.ts";
import type { DialReply } from "../reply.ts";

/** What became of the body of a reply. */
export type BodyOutcome = { readonly kind: "read"; readonly bytes: Uint8Array } | DialStop;

/** Collects the whole body. A limit or a fault on the way comes back as an outcome; rejects only on abort. */
export async function readBody(reply: Pick<DialReply, "body">): Promise<BodyOutcome> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of reply.body) chunks.push(chunk);
  } catch (thrown) {
    if (thrown instanceof BodyStopError) return thrown.stop;
    throw thrown;
  }
  const [only] = chunks;
  return { kind: "read", bytes: only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks) };
}
