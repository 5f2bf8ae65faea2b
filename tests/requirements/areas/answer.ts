import { requirements } from "../requirement.ts";

/** What the answer part promises. */
export const answerRequirements = requirements({
  "exa-api 2.4": {
    "answer:request:query": "an empty query is a 400",
    "answer:request:text": "text true puts the full text into the citations",
    "answer:request:model": "model exa and exa-pro are accepted",
    "answer:request:system-prompt": "systemPrompt is honoured",
    "answer:request:output-schema": "with outputSchema the answer is an object that fits it",
    "answer:request:user-location": "userLocation is accepted",
    "answer:reply:shape": "the reply is requestId, answer, citations and costDollars",
    "answer:reply:citation-keys": "a citation has id, url, title, author and publishedDate",
    "answer:reply:text-only-when-asked": "citations carry text only when asked",
  },
  "exa-api 2.4.1": {
    "answer:stream:chunks": "the answer streams as chat chunks, the last with finish_reason stop",
    "answer:stream:citations-after": "the citations follow the text",
    "answer:stream:cost-last": "cost and request id come last",
    "answer:stream:framing": 'each frame is "data: ", one line of JSON and a blank line',
    "answer:stream:error-frame": "an error inside the stream is the ERROR frame",
    "answer:stream:disconnect": "a client that leaves stops the work",
  },
  "issue 6 answer": {
    "answer:citations:only-retrieved": "only retrieved pages are cited",
    "answer:citations:every-sentence": "every sentence of an answer maps to a citation",
    "answer:citations:quote-in-snapshot": "every citation's quote stands in the stored snapshot",
    "answer:citations:unsupported-dropped": "sentences of a model that nothing supports are dropped or marked",
    "answer:extractive:without-model": "without a model the answer is made of the best sentences of the best pages",
    "answer:extractive:schema": "without a model an outputSchema is filled where evidence supports it, null elsewhere",
    "answer:extractive:says-mode": "the reply says which mode it was",
    "answer:nothing-found:honest": "when nothing supports an answer, the reply says so",
    "answer:quality:qed-passage": "the right passage is among the first five for 95 % of the questions",
    "answer:quality:qed-span": "the answer stands in the first two sentences for 70 % of the questions",
    "answer:quality:docs-mrr": "retrieval MRR on the documentation set is at least 0.80",
    "answer:exa-js:answer": "exa-js answer works",
    "answer:exa-js:stream-answer": "exa-js streamAnswer works",
  },
});
