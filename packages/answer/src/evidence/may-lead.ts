import { asksForAuthor, expectedAnswer, hasExpected, needsExpected, tellsAuthor } from "./expected-answer.ts";
import type { Quote } from "./quote.ts";

/**
 * Sentences that are further from the question in meaning are beside it. Found on the dev half of QED's questions, asked with and
 * without the passage that answers (`npm run eval -- --only answer`): of the first sentences that answer 97 of 100 are nearer, of
 * those where nothing does four of ten.
 */
const MIN_NEARNESS = 0.5;

/**
 * Tells of quotes whether an answer may begin with them: near enough to the question, and with the kind of thing that it asks for
 * where nothing else can answer. Found on the same questions: more wrong answers give way than right ones.
 */
export function makeMayLead(question: string): (quote: Quote) => boolean {
  const kind = expectedAnswer(question);
  const isNeeded = needsExpected(kind, question);
  const isAuthor = asksForAuthor(question);
  return ({ text, nearness, isDirect }) => {
    if (isNeeded && !hasExpected(kind, text, question)) return false;
    if (isDirect === true) return true;
    return (nearness === undefined || nearness >= MIN_NEARNESS) && (!isAuthor || tellsAuthor(text));
  };
}
