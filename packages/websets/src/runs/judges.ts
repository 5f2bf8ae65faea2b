import { findEntities } from "../entities/find-entities.ts";
import { fillCell } from "../extractors/fill-cell.ts";
import { judgeCriterion } from "../judge/judge-criterion.ts";
import { understandQuery } from "../understand/understand-query.ts";

/** What reads pages for a run: pure of the store, so that tests of a run bring judges of their own. */
export interface Judges {
  readonly understandQuery: typeof understandQuery;
  readonly findEntities: typeof findEntities;
  readonly judgeCriterion: typeof judgeCriterion;
  readonly fillCell: typeof fillCell;
}

/** The real ones. */
export const JUDGES: Judges = { understandQuery, findEntities, judgeCriterion, fillCell };
