import { requirements } from "../requirement.ts";

/** What the findsimilar part promises. */
export const findsimilarRequirements = requirements({
  "exa-api 2.2": {
    "findsimilar:url:required": "a url of fewer than 3 characters is a 400",
    "findsimilar:url:known": "pages like a stored page are returned",
    "findsimilar:url:unknown-fetched": "an unknown page is fetched first",
    "findsimilar:url:itself-left-out": "the page itself is not among its similar pages",
    "findsimilar:exclude-source-domain:honoured": "excludeSourceDomain leaves the page's own domain out",
    "findsimilar:filters:same-as-search": "domains, dates, text, category and numResults filter as in search",
    "findsimilar:contents:same-as-search": "contents options work as in search",
    "findsimilar:reply:no-output": "the reply has no output",
  },
  "issue 4 seen working": {
    "findsimilar:exa-js:find-similar": "exa-js findSimilar works",
    "findsimilar:exa-js:find-similar-and-contents": "exa-js findSimilarAndContents works",
  },
});
