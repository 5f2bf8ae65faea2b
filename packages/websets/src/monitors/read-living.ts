import { findImports, listMonitorsOfWebsets, type Queryable, type Webset } from "@quarry/store";
import { showImport } from "../imports/show-import.ts";
import type { LivingParts } from "../runs/websets-deps.ts";
import { showMonitor } from "./show-monitor.ts";

/** The imports and monitors that websets show, by the webset's id: two statements a team, however many websets. */
export async function readLiving(db: Queryable, websets: readonly Webset[]): Promise<ReadonlyMap<string, LivingParts>> {
  const monitors = await listMonitorsOfWebsets(
    db,
    websets.map(({ id }) => id),
  );
  const living = new Map<string, LivingParts>();
  for (const teamId of new Set(websets.map((webset) => webset.teamId))) {
    const ofTeam = websets.filter((webset) => webset.teamId === teamId);
    const wanted = ofTeam.flatMap(importsOf);
    const found = wanted.length === 0 ? [] : await findImports(db, teamId, wanted);
    for (const webset of ofTeam) {
      const ids = importsOf(webset);
      living.set(webset.id, {
        imports: ids.flatMap((id) => found.filter((one) => one.id === id).map(showImport)),
        monitors: monitors.filter(({ websetId }) => websetId === webset.id).map(showMonitor),
      });
    }
  }
  return living;
}

function importsOf({ imports }: Webset): readonly string[] {
  return imports.flatMap(({ source, id }) => (source === "import" ? [id] : []));
}
