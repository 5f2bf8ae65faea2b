import { requirements } from "../requirement.ts";

/** What the workspace part promises. */
export const workspaceRequirements = requirements({
  "house-style 2": {
    "workspace:layout:packages-apps-tests":
      "the repository has proto, packages, apps, tests, docs and tools as the style lays them out",
    "workspace:layout:package-readme": "every package has a README of at most 20 lines",
    "workspace:layout:private-packages": "every workspace package is private and carries the one version",
    "workspace:layout:source-condition": "tests import packages from source without a build",
  },
  "house-style 4": {
    "workspace:layers:sideways-import": "an import of a package of the same layer fails the dependency check",
    "workspace:layers:upward-import": "an import of a higher layer fails the dependency check",
    "workspace:layers:cycle": "an import cycle fails the dependency check",
    "workspace:layers:type-only-cycle": "a cycle of type-only imports fails too",
    "workspace:layers:deep-import": "entering a package other than by its index fails",
    "workspace:layers:package-imports-app": "a package importing an app fails",
    "workspace:layers:app-imports-app": "one app importing another fails",
    "workspace:layers:door-imports-door": "one door importing another fails",
    "workspace:layers:pg-outside-store": "importing pg outside the store fails",
    "workspace:layers:child-process-outside-rooms": "importing node:child_process outside its rooms fails",
    "workspace:layers:code-imports-test": "product code importing a test file fails",
    "workspace:layers:unknown-package": "a package missing from the layer table fails",
    "workspace:layers:clean-passes": "a workspace without violations passes the dependency check",
    "workspace:lint:process-env": "reading process.env outside a config module fails the lint",
    "workspace:lint:global-fetch": "calling the global fetch outside net fails the lint",
    "workspace:lint:default-export": "a default export fails the lint",
    "workspace:lint:export-star": "export * fails the lint",
    "workspace:lint:any": "an explicit any fails the lint",
    "workspace:lint:floating-promise": "a promise nobody awaits fails the lint",
    "workspace:lint:exhaustive-switch": "a switch that misses a union member fails the lint",
    "workspace:lint:type-imports": 'importing a type without "import type" fails the lint',
    "workspace:lint:max-lines": "a file of more than 400 code lines fails the lint",
    "workspace:lint:non-null-assertion": "a non-null assertion fails the lint",
    "workspace:lint:unused-suppression": "a suppression that suppresses nothing fails the lint",
  },
  "issue 2 point 2": {
    "workspace:check:one-command": "npm run check runs format, lint, dependency rules, types and tests",
    "workspace:typescript:strict": "the sources type-check under the strict settings",
    "workspace:typescript:esm": "every package is an ES module",
  },
  "issue 2 point 10": {
    "workspace:requirements:unknown-id-fails": "citing an id that is not listed fails the run",
    "workspace:requirements:duplicate-fails": "listing an id twice fails the run",
    "workspace:requirements:unaccounted-fails": "an id neither cited nor known as unmet fails the run",
    "workspace:requirements:both-fails": "an id both cited and known as unmet fails the run",
    "workspace:requirements:unmet-only-shrinks": "the record of unmet ids cannot grow without changing a pinned count",
    "workspace:requirements:progress-printed": "the run prints how many requirements are met, per area",
  },
});
