import { findPlaces } from "../entities/places.ts";
import type { SubjectContext } from "../judge/subject.ts";
import { readNames, TITLE } from "./person-names.ts";

const MAX_BEHIND = 100;
const AT =
  /^\s?(?:,|@|\||\(|[–—-]|of|at|for|from|bei|von|der|des|chez|de|du)\s?(?:the\s)?(?<other>\p{Lu}[\p{L}\p{N}&.'’-]{0,40})/u;
const AT_ANOTHER =
  /^\s(?:of|at|for|bei|von|chez|de)\s(?:one of\s)?(?:our|a|an|their|his|her|another|einem|einer|unsere[smr]|notre|une?)\s(?!company|firm|business|team|group|studio|agency)/iu;

/** Whether what follows a role says that it is one at another company: "CEO of Globex", "CEO, Globex". */
export function namesOther(behind: string, { names }: SubjectContext): boolean {
  if (AT_ANOTHER.test(behind)) return true;
  const found = AT.exec(behind);
  const other = found?.groups?.["other"];
  if (found === null || other === undefined) return false;
  const from = found[0].length - other.length;
  const rest = behind.slice(from, from + MAX_BEHIND);
  if (names !== null && rest.search(names) === 0) return false;
  if (readNames(rest)[0]?.start === 0 || rest.search(TITLE) === 0) return false;
  return !findPlaces(rest).some(({ start }) => start === 0);
}
