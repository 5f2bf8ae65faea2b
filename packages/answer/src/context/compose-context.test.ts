import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { answerWorld, contentPage } from "../testing.ts";
import { composeContext } from "./compose-context.ts";

const never = new AbortController().signal;

verifies("context:reply:within-tokens", "keeps within the tokens, whatever the pages hold", async () => {
  const pages = Array.from({ length: 8 }, (_, index) =>
    contentPage({
      url: `https://docs.example/${index}`,
      text: `Use the option rebase to replay commits. ${"git rebase --onto main. ".repeat(200)}The rebase option ends here.`,
    }),
  );
  for (const maxTokens of [50, 500, 5_000]) {
    const wish = { teamIds: ["team_1"], query: "how to rebase commits", maxTokens };
    const { markdown, tokens, pages: count } = await composeContext(answerWorld(pages), wish, never);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
    expect(markdown.length).toBeLessThanOrEqual(maxTokens * 3);
    expect(count).toBeGreaterThan(0);
    expect(markdown).toContain("https://docs.example/0");
  }
});
