import type { AppError } from "@quarry/base";
import type { SearchOutput, SearchReplyBody, SearchResult } from "@quarry/contract";

/** How much of the text one frame carries: small enough to read along, large enough not to be chatter. */
const DELTA_CHARACTERS = 120;

/** The reply of a search as its frames: results, the text piece by piece, what it rests on, and the end. */
export async function* streamSearch(
  reply: {
    readonly requestId: string;
    readonly results: readonly SearchResult[];
    /** Called once the results are on their way. */
    readonly compose: () => Promise<SearchOutput>;
    readonly finish: () => Pick<SearchReplyBody, "searchTime" | "costDollars" | "warnings">;
  },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { requestId } = reply;
  yield frame({ type: "results", requestId, results: reply.results });
  await new Promise((resolve) => setImmediate(resolve)); // the results leave before the rest is made
  signal.throwIfAborted();
  const output = await reply.compose();
  const text = typeof output.content === "string" ? output.content : JSON.stringify(output.content);
  for (const [index, delta] of cutIntoDeltas(text).entries()) {
    const spoken = { ...(index === 0 ? { role: "assistant" } : {}), content: delta };
    yield frame({
      type: "text-delta",
      requestId,
      delta,
      choices: [{ index: 0, delta: spoken, finish_reason: null }],
    });
  }
  const cited = new Map(output.grounding.flatMap(({ citations }) => citations).map((one) => [one.url, one]));
  const citations = [...cited.values()].map(({ url, title }) => ({ id: url, url, title }));
  yield frame({ type: "grounding", requestId, grounding: output.grounding, citations });
  const end = [{ index: 0, delta: {}, finish_reason: "stop" }];
  yield frame({ type: "done", requestId, output, ...reply.finish(), choices: end });
  yield "data: [DONE]\n\n";
}

/** The frame that tells of a failure after the stream began. */
export function searchErrorFrame(error: AppError): string {
  return frame({ type: "error", error: { message: error.message } });
}

function frame(payload: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

/** Cuts between words where it can, never inside a character. */
function cutIntoDeltas(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${DELTA_CHARACTERS}}(?=\\s|$)|[^]{1,${DELTA_CHARACTERS}}`, "gu")) ?? [];
}
