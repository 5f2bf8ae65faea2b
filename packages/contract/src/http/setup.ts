import { z } from "zod";

/** Reply of `GET /quarry/v1/config`. */
export const configSchema = z
  .object({
    object: z.literal("list"),
    data: z.array(
      z.object({
        name: z.string().describe("The environment's name for it."),
        value: z.string().nullable().describe("Secrets and passwords are hidden; null when unset."),
        origin: z.string().describe("Where the value came from: default, env NAME or file quarry.config.json."),
        secret: z.boolean(),
      }),
    ),
  })
  .meta({ id: "Config" });

const MAX_URL_CHARACTERS = 2_000;

/** A chat endpoint that speaks OpenAI's protocol: the body of both model routes. */
export const modelEndpointSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: "expected an http(s) address, for example http://127.0.0.1:11434/v1" })
      .max(MAX_URL_CHARACTERS),
    key: z.string().min(1).max(1_000).optional().describe("The endpoint's API key, where it wants one."),
    model: z.string().min(1).max(200).optional().describe("The model's name there."),
  })
  .meta({ id: "ModelEndpoint" });

/** Reply of `POST /quarry/v1/model/test`: what became of one short question. */
export const modelTestSchema = z
  .object({
    ok: z.boolean(),
    latencyMs: z.int(),
    reply: z.string().nullable().describe("The beginning of what the model said."),
    error: z.string().nullable().describe("Why it did not answer, and what to do."),
  })
  .meta({ id: "ModelTest" });

/** Reply of `PUT /quarry/v1/model`. */
export const keptModelSchema = z
  .object({
    file: z.string().describe("The file that holds the endpoint now."),
    restart: z.boolean().describe("Whether it holds from the next start only."),
  })
  .meta({ id: "KeptModel" });

/** Reply of `POST /quarry/v1/sample`. */
export const sampleLoadSchema = z
  .object({ status: z.enum(["loading", "loaded"]).describe("`loaded`: this store has, or has had, the sample.") })
  .meta({ id: "SampleLoad" });
