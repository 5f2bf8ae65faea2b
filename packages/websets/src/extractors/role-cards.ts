import { findPlaces } from "../entities/places.ts";
import type { PageText } from "../evidence.ts";
import { isNamedIn, type SubjectContext } from "../judge/subject.ts";
import { rolePattern } from "./asked-role.ts";
import type { RoleFamily } from "./column-words.ts";
import { namesOther } from "./names-other.ts";
import { namesTitle, readNames, wholeName } from "./person-names.ts";

/** Who holds a role, and how plainly a page says that it is the entity's. */
export interface RoleHit {
  readonly page: PageText;
  readonly names: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly kind: "name" | "role" | "heading" | "other";
}

const MAX_LINES = 5_000;
const MAX_ROLE_LINE = 80;
/** Lines of a biography that may stand between two people of a list. */
const MAX_BETWEEN = 4;
const CARD_WEIGHT = 2.5;

/** Those who stand beside a role in lists whose lines are names and roles. */
export function findRoleCards(page: PageText, family: RoleFamily, context: SubjectContext): readonly RoleHit[] {
  const pattern = rolePattern(family);
  const lines = readLines(page.text, context);
  return lists(lines).flatMap((list) => {
    const isNameFirst = nameComesFirst(list);
    return list.flatMap((line, at) => {
      if (line.kind !== "role" && line.kind !== "heading") return [];
      const [role, ...others] = [...line.text.matchAll(pattern)];
      if (role === undefined || others.length > 1) return [];
      if (OTHER_ROLE.test(line.text.slice(0, role.index))) return [];
      if (namesOther(line.text.slice(role.index + role[0].length), context)) return [];
      const held =
        line.kind === "heading"
          ? namesBelow(list, at)
          : isNameFirst === undefined
            ? []
            : [list[isNameFirst ? at - 1 : at + 1]].filter((one) => one?.kind === "name");
      const [first] = held;
      const names = held.flatMap((one) => (one === undefined ? [] : (wholeName(one.text) ?? [])));
      if (first === undefined || names.length === 0 || isTestimonial(page.text, [line, first])) return [];
      const start = Math.min(line.start, first.start);
      const end = Math.max(line.end, ...held.map((one) => one?.end ?? 0));
      return [{ page, names, start, end, weight: CARD_WEIGHT }];
    });
  });
}

const OTHER_ROLE =
  /\b(?:vice|deputy|assistant|associate|former|ex|outgoing|stellvertretende[rn]?|ehemalige[rn]?|ancien(?:ne)?)[\s-](?:to the\s)?$|\bto the\s$/iu;

function readLines(text: string, context: SubjectContext): readonly Line[] {
  const lines: Line[] = [];
  for (const { 0: written, index } of text.matchAll(/[^\n]+/g)) {
    const plain = written.trim();
    if (plain === "" || lines.length >= MAX_LINES) continue;
    const start = index + written.indexOf(plain);
    lines.push({ text: plain, start, end: start + plain.length, kind: kindOf(plain, context) });
  }
  return lines;
}

function kindOf(line: string, context: SubjectContext): Line["kind"] {
  if (line.length > MAX_ROLE_LINE || QUOTED.test(line)) return "other";
  if (/^\p{L}{1,20}s$/u.test(line) && namesTitle(line)) return "heading";
  const name = wholeName(line);
  if (name !== undefined) {
    const isPlace = findPlaces(line).some((place) => place.name === line);
    return isPlace || isNamedIn(line, context) ? "other" : "name";
  }
  if (/[.!]$/.test(line) || readNames(line).length > 0 || !namesTitle(line)) return "other";
  return "role";
}

/** Stretches of lines in which names and roles stand close to one another. */
function lists(lines: readonly Line[]): readonly (readonly Line[])[] {
  const found: Line[][] = [];
  let list: Line[] = [];
  let between = 0;
  for (const line of lines) {
    between = line.kind === "other" ? between + 1 : 0;
    if (between > MAX_BETWEEN) {
      if (list.some(({ kind }) => kind !== "other")) found.push(list);
      list = [];
    } else list.push(line);
  }
  return [...found, list];
}

/** Whether a list gives each name before its role, by how it begins and ends: between two names a role could be either's. */
function nameComesFirst(list: readonly Line[]): boolean | undefined {
  const kinds = list.map(({ kind }) => kind).filter((kind) => kind === "name" || kind === "role");
  const [first, last] = [kinds[0], kinds.at(-1)];
  return first === undefined || first === last ? undefined : first === "name";
}

/** "Founders" above names, with or without what else each of them is. */
function namesBelow(list: readonly Line[], heading: number): readonly Line[] {
  const below = list.slice(heading + 1);
  const end = below.findIndex(({ kind }) => kind === "other" || kind === "heading");
  return below.slice(0, end < 0 ? below.length : end).filter(({ kind }) => kind === "name");
}

const QUOTED = /["“”„«»]/u;
const LEGAL_FORM = /\s(?:GmbH|AG|SE|Inc\.?|Ltd\.?|Limited|LLC|Corp\.?|plc|SARL|SAS|B\.?V\.?)$/u;

/** Words in quotation marks above a name, or a company below it: what a customer says. */
function isTestimonial(text: string, pair: readonly Line[]): boolean {
  const start = Math.min(...pair.map((line) => line.start));
  const end = Math.max(...pair.map((line) => line.end));
  const above = text.slice(0, start).trimEnd().slice(-3);
  const below = /^\s{0,9}([^\n]{0,80})/.exec(text.slice(end))?.[1] ?? "";
  return QUOTED.test(above) || LEGAL_FORM.test(below.trimEnd());
}
