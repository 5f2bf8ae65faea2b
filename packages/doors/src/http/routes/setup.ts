import {
  configSchema,
  keptModelSchema,
  modelEndpointSchema,
  modelTestSchema,
  sampleLoadSchema,
} from "@quarry/contract";
import type { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { requireOperator, type OperatorDeps } from "./operator.ts";

/** A chat endpoint that the operator names. */
export type ModelEndpointWish = z.output<typeof modelEndpointSchema>;

/** What the set-up routes need. */
export interface SetupDeps extends OperatorDeps {
  /** Every setting as people may see it. */
  readonly settings: () => z.input<typeof configSchema>["data"];
  /** Asks the endpoint one short question. A refusal is an outcome, not an error. */
  readonly testModel: (endpoint: ModelEndpointWish, signal: AbortSignal) => Promise<z.input<typeof modelTestSchema>>;
  /** Writes the endpoint where the next start reads it; rejects with `conflict` when the environment would win. */
  readonly keepModel: (endpoint: ModelEndpointWish) => Promise<z.input<typeof keptModelSchema>>;
  /** Begins to load the sample unless this store has had it. */
  readonly loadSample: () => Promise<z.input<typeof sampleLoadSchema>>;
}

const tag = "Operation";
const WHY = "this is about the server itself";

/** How the server is set up: shown, and the few things a first run may set. */
export function setupRoutes(deps: SetupDeps): readonly Route[] {
  return [
    defineRoute({
      name: "getConfig",
      method: "GET",
      path: "/quarry/v1/config",
      tag,
      summary: "Every setting with its value and origin; secrets are hidden",
      access: "admin",
      response: configSchema,
      handle: (_, { caller }) => {
        requireOperator(deps, caller, WHY);
        return Promise.resolve({ object: "list" as const, data: deps.settings() });
      },
    }),
    defineRoute({
      name: "testModel",
      method: "POST",
      path: "/quarry/v1/model/test",
      tag,
      summary: "Ask a chat endpoint one short question, and keep nothing",
      description:
        "The server itself asks, so an address of its own network works. Tells what went wrong and what to do.",
      access: "admin",
      body: modelEndpointSchema,
      response: modelTestSchema,
      handle: ({ body }, { caller, signal }) => {
        requireOperator(deps, caller, WHY);
        return deps.testModel(body, signal);
      },
    }),
    defineRoute({
      name: "keepModel",
      method: "PUT",
      path: "/quarry/v1/model",
      tag,
      summary: "Write a chat endpoint into quarry.config.json, for the next start",
      access: "admin",
      body: modelEndpointSchema,
      response: keptModelSchema,
      handle: ({ body }, { caller }) => {
        requireOperator(deps, caller, WHY);
        return deps.keepModel(body);
      },
    }),
    defineRoute({
      name: "loadSample",
      method: "POST",
      path: "/quarry/v1/sample",
      tag,
      summary: "Load the sample pages that come with Quarry, for every team to search",
      access: "admin",
      response: sampleLoadSchema,
      handle: (_, { caller }) => {
        requireOperator(deps, caller, WHY);
        return deps.loadSample();
      },
    }),
  ];
}
