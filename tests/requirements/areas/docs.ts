import { requirements } from "../requirement.ts";

/** What the docs part promises. */
export const docsRequirements = requirements({
  "issue 2 point 2": {
    "docs:files:present": "README, CONTRIBUTING, ARCHITECTURE, CHANGELOG, LICENSE and SECURITY are there",
    "docs:links:resolve": "every relative link in a document leads to an existing path",
    "docs:scripts:exist": "every npm script named in a document exists",
  },
  "house-style 10": {
    "docs:readme:commands-exist": "shell snippets of the README name existing commands",
    "docs:readme:snippets-parse": "TypeScript and JSON snippets of the README parse",
    "docs:architecture:glossary": "ARCHITECTURE has the way of the data, the glossary and a paragraph per room",
    "docs:decisions:one-page":
      "a decision record has context, decision, what was given up and what would change our mind",
    "docs:changelog:pending": "CHANGELOG has a Pending part",
  },
  "issue 2 seen working": {
    "docs:container:paths-exist": "every path the Dockerfile and compose file name exists",
    "docs:container:ports-match": "their ports are the server's",
    "docs:container:variables-known": "every QUARRY_ variable they name is known",
    "docs:container:services-resolve": "services they refer to exist",
  },
  "house-style 13": {
    "docs:repository:no-machine-paths": "no tracked file names a machine path or a registry host",
    "docs:repository:lock-without-addresses": "the lock file resolves nothing over http",
    "docs:repository:npmrc-scripts-off": ".npmrc turns install scripts off",
    "docs:repository:licences": "every runtime dependency has a permissive licence",
  },
  "features 4.5": {
    "docs:llms:txt": "llms.txt tells agents what is here",
    "docs:llms:migration-from-exa": "a guide tells how to move from Exa",
    "docs:llms:markdown-pages": "documentation pages answer Accept: text/markdown",
    "docs:llms:api-catalog": "/.well-known/api-catalog names the API description",
  },
});
