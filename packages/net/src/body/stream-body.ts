import type { Deadline } from "../deadline.ts";
import { stopOrRethrow } from "../failure.ts";
import { RATIO_GRACE_BYTES, type RequestLimits } from "../limits.ts";
import { BodyStopError, failed, refused } from "../outcome.ts";
import type { Chunks } from "./chunks.ts";
import type { Coding } from "./content-encoding.ts";
import { decode } from "./decode.ts";

/** What the reading of one body needs to know. */
export interface BodyPlan {
  readonly url: string;
  /** In the order to undo them. */
  readonly codings: readonly Coding[];
  readonly limits: RequestLimits;
  readonly deadline: Deadline;
}

/**
 * The body as the reader wants it: decoded, counted at both ends, and timed.
 * Throws a BodyStopError at a limit or a fault, and the caller's reason on abort.
 */
export async function* streamBody(wire: Chunks, plan: BodyPlan): Chunks {
  try {
    let chunks = readWire(wire, plan);
    for (const coding of plan.codings) chunks = decodeWithinRatio(coding, chunks, plan);
    if (plan.codings.length === 0 && plan.limits.maxWireBytes <= plan.limits.maxBytes) {
      yield* chunks;
      return;
    }
    let total = 0;
    for await (const chunk of chunks) {
      total += chunk.length;
      if (total > plan.limits.maxBytes) throw tooLarge(plan, plan.limits.maxBytes, "maxBytes");
      yield chunk;
    }
  } catch (thrown) {
    throw toThrow(thrown, plan);
  }
}

async function* readWire(wire: Chunks, plan: BodyPlan): Chunks {
  const { deadline, limits } = plan;
  let total = 0;
  deadline.enter("body", limits.idleBodyMs);
  try {
    for await (const chunk of wire) {
      deadline.leave();
      total += chunk.length;
      if (total > limits.maxWireBytes) throw tooLarge(plan, limits.maxWireBytes, "maxWireBytes");
      yield chunk;
      deadline.enter("body", limits.idleBodyMs);
    }
  } catch (thrown) {
    throw toThrow(thrown, plan);
  } finally {
    deadline.leave();
  }
}

async function* decodeWithinRatio(coding: Coding, source: Chunks, plan: BodyPlan): Chunks {
  const { maxDecompressionRatio } = plan.limits;
  let encodedBytes = 0;
  let decodedBytes = 0;
  const counted = async function* (): Chunks {
    for await (const chunk of source) {
      encodedBytes += chunk.length;
      yield chunk;
    }
  };
  try {
    for await (const chunk of decode(coding, counted())) {
      decodedBytes += chunk.length;
      if (decodedBytes > RATIO_GRACE_BYTES && decodedBytes > encodedBytes * maxDecompressionRatio) {
        const message = `the ${coding} body grows more than ${maxDecompressionRatio} times when decoded`;
        throw new BodyStopError(refused("decompression-bomb", plan.url, message));
      }
      yield chunk;
    }
  } catch (thrown) {
    if (thrown instanceof BodyStopError || plan.deadline.signal.aborted) throw thrown;
    const host = new URL(plan.url).host;
    const message = `${host} sent a body that is not whole ${coding}`;
    throw new BodyStopError(failed("decode", plan.url, message, { cause: thrown }));
  }
}

function tooLarge(plan: BodyPlan, bytes: number, name: string): BodyStopError {
  return new BodyStopError(refused("body-too-large", plan.url, `the body is larger than ${bytes} bytes (${name})`));
}

/** Returns what to throw; the caller's own reason it throws itself. */
function toThrow(thrown: unknown, plan: BodyPlan): BodyStopError {
  if (thrown instanceof BodyStopError) return thrown;
  return new BodyStopError(stopOrRethrow(thrown, plan.url, "reply", plan.deadline.signal));
}
