import { AppError } from "@quarry/base";
import { jsonrepair } from "jsonrepair";
import { compileSchema } from "./compile-schema.ts";
import type { Llm, LlmRequest } from "./llm.ts";

/** How often a reply of the wrong shape is asked for again, with the reason. */
const MAX_CORRECTIONS = 2;

/**
 * Asks for JSON of a shape and returns it checked. Slightly broken JSON (fences, trailing commas, single quotes) is repaired; a
 * reply of the wrong shape is shown back to the model with what is wrong. Throws `upstream_failed` that names the path when
 * it never fits, `invalid_request` for a schema that is none.
 */
export async function completeJson(
  llm: Llm,
  request: LlmRequest & { readonly schema: NonNullable<LlmRequest["schema"]> },
  signal: AbortSignal,
): Promise<unknown> {
  const check = compileSchema(request.schema.schema);
  let { messages } = request;
  for (let corrections = 0; ; corrections += 1) {
    const reply = await llm.complete({ ...request, messages }, signal);
    const problem = reply.finish === "stop" ? undefined : `the reply ended early (${reply.finish})`;
    const parsed = problem === undefined ? parseLoosely(reply.text) : undefined;
    const verdict = parsed === undefined ? undefined : check(parsed.value);
    if (parsed !== undefined && verdict?.kind === "valid") return parsed.value;
    const why =
      problem ?? (verdict?.kind === "invalid" ? `${verdict.path} ${verdict.message}` : "the reply is not JSON");
    if (corrections === MAX_CORRECTIONS) {
      throw new AppError("upstream_failed", `the language model's JSON does not fit the schema: ${why}`);
    }
    messages = [
      ...request.messages,
      { role: "assistant", content: reply.text },
      { role: "user", content: `That does not fit the schema: ${why}. Answer again with the corrected JSON alone.` },
    ];
  }
}

/** The JSON of a reply, repaired where that is safe; undefined when there is none. */
export function parseLoosely(text: string): { readonly value: unknown } | undefined {
  const inner = /^\s*```[a-z]*[^\S\n]*\n([\s\S]*?)\n?```\s*$/i.exec(text)?.[1] ?? text;
  try {
    return { value: JSON.parse(inner) as unknown };
  } catch {
    // Prose is no JSON, however much a repair could make of it.
    if (!/^\s*[[{]/.test(inner)) return undefined;
  }
  try {
    return { value: JSON.parse(jsonrepair(inner)) as unknown };
  } catch {
    return undefined;
  }
}
