// Progress report: `node tools/run-typescript.mjs tools/requirements.ts [--unmet AREA] [--prune]`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { allRequirements } from "../tests/requirements/all-requirements.ts";
import { countByIssue } from "../tests/requirements/check-requirements.ts";
import { findCitations } from "../tests/requirements/find-citations.ts";
import { knownUnmet } from "../tests/requirements/known-unmet.ts";
import { progressLines } from "../tests/requirements/progress.ts";
import { renderCeiling, renderKnownUnmet } from "../tests/requirements/render-known-unmet.ts";
import { areaOf } from "../tests/requirements/requirement.ts";

const root = process.cwd();
const [option, area] = process.argv.slice(2);
const cited = new Set(findCitations(root).citations.map(({ id }) => id));

switch (option) {
  case undefined:
    process.stdout.write(`${progressLines(allRequirements, cited, "cited").join("\n")}\n`);
    break;
  case "--unmet":
    for (const { id, source, sentence } of allRequirements) {
      if (!cited.has(id) && (area === undefined || areaOf(id) === area)) {
        process.stdout.write(`${id} (${source}): ${sentence}\n`);
      }
    }
    break;
  case "--prune":
    prune();
    break;
  default:
    process.stderr.write("usage: requirements [--unmet [AREA] | --prune]\n");
    process.exitCode = 2;
}

/** Takes cited and vanished ids off the unmet record, and lowers the pinned counts to match. */
function prune(): void {
  const listed = new Set(allRequirements.map(({ id }) => id));
  const kept = Object.fromEntries(Object.entries(knownUnmet).filter(([id]) => listed.has(id) && !cited.has(id)));
  const home = path.join(root, "tests", "requirements");
  writeFileSync(path.join(home, "known-unmet.ts"), renderKnownUnmet(kept));
  writeFileSync(path.join(home, "known-unmet-ceiling.ts"), renderCeiling(countByIssue(kept)));
  const before = Object.keys(knownUnmet).length;
  const after = Object.keys(kept).length;
  process.stdout.write(`known-unmet.ts: ${after} ids, ${before - after} taken off\n`);
}
