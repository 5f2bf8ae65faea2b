import { contextReplySchema, contextSchema, type PriceList } from "@quarry/contract";
import { composeContext, type AnswerDeps } from "@quarry/answer";
import { defineRoute, type Route } from "../route.ts";
import { elapsed, teamsOf } from "./search-deps.ts";

/** `POST /context`: passages for a coding agent, as one piece of Markdown within a number of tokens. */
export function contextRoutes(deps: { readonly answer: AnswerDeps; readonly prices: PriceList }): readonly Route[] {
  return [
    defineRoute({
      name: "context",
      method: "POST",
      path: "/context",
      tag: "Answer",
      summary: "Collect passages for a question as Markdown",
      access: "search",
      meter: "search",
      body: contextSchema,
      response: contextReplySchema,
      handle: async ({ body }, context) => {
        const began = performance.now();
        const maxTokens =
          body.tokensNum === undefined || body.tokensNum === "dynamic" ? DYNAMIC_TOKENS : body.tokensNum;
        const wish = { teamIds: teamsOf(context.caller), query: body.query, maxTokens };
        const { markdown, pages, tokens } = await composeContext(deps.answer, wish, context.signal);
        const total = deps.prices.search.standard;
        context.addUsage({ costDollars: total });
        return {
          requestId: context.requestId,
          query: body.query,
          response: markdown,
          resultsCount: pages,
          costDollars: { total, search: { neural: total } },
          searchTime: elapsed(began),
          outputTokens: tokens,
        };
      },
    }),
  ];
}

/** What fits beside a conversation. */
const DYNAMIC_TOKENS = 5_000;
