import { requirements } from "../requirement.ts";

/** What the commands part promises. */
export const commandsRequirements = requirements({
  "design conventions": {
    "commands:start:fresh-clone": "npm start on a fresh clone with Node 20.19 and npm alone ends in a serving Quarry",
    "commands:start:default-address": "npm start listens on http://127.0.0.1:7700 unless told otherwise",
    "commands:start:embedded-data": "without settings the database and the index live in ./.quarry",
    "commands:start:prints-key-once": "the first start prints a new API key, later starts do not repeat it",
    "commands:start:prints-console-link": "each start prints a one-time console link",
    "commands:start:prints-working-curl": "the printed curl works as pasted and returns a non-empty reply",
    "commands:start:sample-searchable": "the first start has at least 300 redistributable pages to search",
    "commands:start:sample-licences": "the licence of every sample page is listed",
    "commands:test:fresh-clone": "npm test on a fresh clone installs what is missing and runs the whole suite",
    "commands:test:closing-line": 'the test run ends on the line "N passed, N failed, N skipped"',
    "commands:test:skip-says-why": "a test that lacks a browser or a server says in one line what it lacks and skips",
    "commands:eval:prints-table": "npm run eval prints a table and writes JSON",
    "commands:eval:only-option": "npm run eval -- --only NAME runs that set alone",
    "commands:eval:missing-data-skipped": "eval skips a data set that is not there, by name",
    "commands:eval:smoke-in-tests": "a smoke version of eval runs in npm test",
    "commands:bench:prints-table": "npm run bench prints a table and writes JSON",
    "commands:bench:only-option": "npm run bench -- --only NAME runs that measurement alone",
    "commands:bench:smoke-in-tests": "a smoke version of bench runs in npm test",
    "commands:bench:startup-figures": "bench --only startup prints first start, later start and idle memory",
    "commands:soak:only-and-seed": "npm run soak -- --only X --seed N repeats the run of that seed",
    "commands:soak:part-in-tests": "npm test runs at least 5 % of each long proof from a fresh printed seed",
    "commands:ci:nothing-skips":
      "the CI script installs what browser and server tests need, so that nothing skips there",
  },
  "issue 2 point 1": {
    "commands:install:missing-packages-first": "start and test install missing packages before their work",
    "commands:install:skipped-when-unchanged":
      "installation is skipped when lock file, Node and platform are unchanged",
    "commands:install:hash-covers-lock-node-platform": "a change of lock file, Node ABI or platform installs again",
    "commands:install:says-what-it-does": "installation prints what it does, and nothing when there is nothing to do",
    "commands:install:no-dependency-scripts": "dependencies' install scripts never run",
    "commands:install:two-at-once": "two installations of one clone at the same time do not disturb each other",
    "commands:install:stale-lock-recovered": "an installation lock left by a killed process is taken over",
    "commands:install:old-node-refused": "a Node older than 20.19 is refused with a sentence that names both versions",
    "commands:install:built-ins-only": "the installer uses Node built-ins only",
    "commands:install:lock-without-addresses": "the lock file carries no http address",
    "commands:install:from-empty": "npm ci works with an empty node_modules",
    "commands:build:bundles-when-installing": "esbuild bundles server, CLI and worker threads during installation",
    "commands:build:skipped-when-unchanged": "bundling is skipped while the sources' hash is unchanged",
    "commands:ci:runs-npm-test": "the CI script calls npm test and ends on its closing line",
    "commands:start:ten-lines":
      "what a user reads on a first start is about ten lines, without npm's engine and deprecation noise",
  },
  "issue 2 seen working": {
    "commands:start:first-under-15-s": "the first start after installation is ready within 15 s",
    "commands:start:later-under-3-s": "a later start is ready within 3 s",
    "commands:start:vectors-within-6-s": "vectors answer within 6 s of a start",
    "commands:start:idle-memory": "idle memory stays under 550 MB with the models loaded",
    "commands:test:green-twice": "npm test passes twice in a row without cleaning up",
    "commands:start:after-deleting-node-modules": "start and test work again after node_modules was deleted",
  },
  "features 3": {
    "commands:start:two-gb": "the product runs on two cores and 2 GB of memory",
  },
});
