import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
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

it.each([
  ["some of their sentences", "Rebase replays commits onto another base."],
  ["their titles alone", "The weather is fine."],
])("takes passages of several long pages that have the question's words in %s", async (_, told) => {
  const pages = ["one", "two"].map((name) =>
    contentPage({
      url: `https://docs.example/${name}`,
      title: `Rebase commits, ${name}`,
      text: `${told} ${Array.from({ length: 2_000 }, (_, index) => `Paragraph ${index} tells of other things.`).join(" ")}`,
    }),
  );
  const wish = { teamIds: ["team_1"], query: "how to rebase commits", maxTokens: 5_000 };
  const { markdown, pages: count } = await composeContext(answerWorld(pages), wish, never);
  expect(count).toBe(2);
  expect(markdown).toContain("https://docs.example/two");
});
