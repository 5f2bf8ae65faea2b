import { siteOf } from "../judge/subject.ts";
import type { PageText } from "../evidence.ts";
import type { Filled, Filling } from "./filling.ts";
import { hostOf, lineAround } from "./page-lines.ts";
import { readEmails } from "./read-emails.ts";
import { readPhones } from "./read-phones.ts";
import { speaksFor } from "./own-pages.ts";
import { ownField } from "./structured-facts.ts";

/** An email address: one of the entity's own site first, then the one that stands nearest to the column's words. */
export function fillEmail(filling: Filling): Filled | undefined {
  const { entity, enrichment, pages } = filling;
  const site = siteOf(entity.url);
  const siteOfEmail = (email: string): string | null => siteOf(`https://${email.split("@")[1] ?? ""}`);
  const isOfSite = (email: string): boolean => site !== null && siteOfEmail(email) === site;
  const isOfPerson = (email: string): boolean => entity.type === "person" && localMatches(email, entity.name);
  const wanted = /\b(sales|press|media|support|help|jobs|careers?|hr|billing|investor|privacy|abuse|security|legal)\b/i
    .exec(enrichment.description)?.[1]
    ?.toLowerCase();
  // a newspaper's page gives the newspaper's addresses
  const found = pages.flatMap((page) =>
    readEmails(page.text)
      .filter(({ value }) => speaksFor(page, filling) || isOfSite(value) || isOfPerson(value))
      .map((one) => ({ page, one })),
  );
  const ranked = found
    .filter(({ one }) => !/^(?:no-?reply|example|test|you|your|name|user)@|@example\./.test(one.value))
    .map(({ page, one }) => ({
      page,
      one,
      score:
        (isOfSite(one.value) ? 2 : 0) +
        (wanted !== undefined && one.value.startsWith(wanted.slice(0, 4)) ? 3 : 0) +
        (wanted === undefined ? generality(one.value) : 0) +
        (isOfPerson(one.value) ? 3 : 0),
    }))
    .sort((one, other) => other.score - one.score);
  const best = ranked[0];
  const quote = best === undefined ? undefined : lineAround(best.page, best.one.start, best.one.end);
  return best === undefined || quote === undefined
    ? wanted === undefined
      ? structuredContact(filling, "email", (written) => readEmails(written.replace(/^mailto:/i, ""))[0]?.value)
      : undefined
    : { result: [best.one.value], rule: "email address in the text", references: [quote] };
}

/** Whether an address is for all who write, or for some. */
function generality(email: string): number {
  const local = /^[^@+._-]+/.exec(email)?.[0] ?? "";
  if (
    /^(?:info|contact|contacts|contactus|hello|hi|hallo|bonjour|office|mail|kontakt|enquir(?:y|ies)|inquir(?:y|ies)|team|accueil)$/.test(
      local,
    )
  )
    return 1;
  if (/^(?:sales|vertrieb|commercial|support|help|service)$/.test(local)) return 0.5;
  return /^(?:press|presse|media|jobs?|careers?|karriere|bewerbung|recrut\w*|hr|privacy|datenschutz|dpo|gdpr|rgpd|abuse|legal|security|billing|invoices?|accounts|investors?|ir|webmaster|postmaster|unsubscribe|returns|partners?)$/.test(
    local,
  )
    ? -1
    : 0;
}

/** What the structured data gives, where the text gives none. */
function structuredContact(
  filling: Filling,
  name: "email" | "telephone",
  read: (written: string) => string | undefined,
): Filled | undefined {
  const filled = ownField(filling, name);
  const value = filled === undefined ? undefined : read(filled.result[0] ?? "");
  return filled === undefined || value === undefined ? undefined : { ...filled, result: [value] };
}

function localMatches(email: string, name: string): boolean {
  const local = email.split("@")[0] ?? "";
  return name
    .toLowerCase()
    .split(/\s+/)
    .some((part) => part.length >= 3 && local.includes(part));
}

/** A phone number, read by the rules of the entity's country: the one that its line gives to whom the column asks for, else the first. */
export function fillPhone(filling: Filling): Filled | undefined {
  const { entity, enrichment, pages } = filling;
  const country = countryOf(entity, pages);
  const wantsFax = /\bfax\b/i.test(enrichment.description);
  const wanted = DEPARTMENT.exec(enrichment.description)?.[1]?.toLowerCase();
  const found = pages
    .filter((page) => speaksFor(page, filling))
    .flatMap((page) => {
      const all = readPhones(page.text, country);
      const phones = all.filter(({ start }) => {
        const before = page.text.slice(Math.max(0, start - MAX_BEFORE), start);
        if (wantsFax !== /\bfax\b[^\n]*$/i.test(before.slice(-20))) return false;
        return page.text.charAt(start) === "+" || !calledOtherwise(before);
      });
      return phones.map(({ value, start, end }, index) => {
        const from = Math.max(phones[index - 1]?.end ?? 0, page.text.lastIndexOf("\n", start) + 1, start - MAX_BEFORE);
        const isWanted = wanted !== undefined && page.text.slice(from, start).toLowerCase().includes(wanted);
        const isLabelled = PHONE_LABEL.test(page.text.slice(Math.max(0, start - MAX_LABEL), start));
        return { page, value, start, end, isWanted, isLabelled };
      });
    });
  const best = found.find(({ isWanted }) => isWanted) ?? found.find(({ isLabelled }) => isLabelled) ?? found[0];
  const quote = best === undefined ? undefined : lineAround(best.page, best.start, best.end);
  return best === undefined || quote === undefined
    ? wanted === undefined && !wantsFax
      ? structuredContact(filling, "telephone", (written) => readPhones(`Tel: ${written}`, country)[0]?.value)
      : undefined
    : { result: [best.value], rule: "phone number in the text", references: [quote] };
}

const MAX_LABEL = 30;
/** What calls the number behind it a phone's. */
const PHONE_LABEL =
  /(?<!\p{L})(?:tel|telefon|telephone|téléphone|tél|phone|fon|mobil|mobile|call|hotline|rufnummer)(?:\s?(?:number|no|nr|us))?(?:[\s.:|()/–-]{0,6})$/iu;

const DEPARTMENT =
  /\b(sales|press|media|support|service|help|jobs|careers?|hr|billing|investor|reception|emergency|mobile)\b/i;
const MAX_BEFORE = 60;
/** Numbers that look like a phone's and are called something else. */
const OTHER_NUMBER =
  /\b(?:IBAN|BIC|VAT|USt|EIN|order|invoice|account|acct|serial|item|SKU|ISBN|ISSN|HRB|HRA|SIRET|SIREN|RCS|tracking|ticket|(?<!\bprivacy )policy)\b/gi;
/** What may stand between such a word and its number: "no.", "id:", codes. An "order hotline" has a phone. */
const TO_ITS_NUMBER =
  /^(?:[^\p{L}\n;|]|\p{Lu}+(?!\p{L})|(?:[Nn]o|[Nn]r|[Nn]um|[Nn]umber|[Ii]d|[Cc]ode|is)(?!\p{L}))*$/u;

function calledOtherwise(before: string): boolean {
  const word = [...before.matchAll(OTHER_NUMBER)].at(-1);
  const between = word === undefined ? "a" : before.slice(word.index + word[0].length);
  return (
    TO_ITS_NUMBER.test(between) && !/\b(?:tel|telefon|telephone|phone|fon|call|mobile|ring|dial|fax)\b/i.test(between)
  );
}

/** The country by whose rules an entity's phone numbers are read. */
export function countryOf(entity: Filling["entity"], pages: readonly PageText[]): string | undefined {
  const { properties } = entity;
  const code = properties.type === "company" ? properties.company.headquarters?.countryCode : undefined;
  if (code !== null && code !== undefined) return code;
  const ending = /\.([a-z]{2})$/i.exec(hostOf(entity.url))?.[1]?.toUpperCase();
  if (ending === "UK") return "GB";
  if (ending !== undefined && !/^(?:IO|AI|CO|TV|ME|EU)$/.test(ending)) return ending;
  const language = pages[0]?.language;
  const byLanguage: Readonly<Record<string, string>> = {
    de: "DE",
    fr: "FR",
    it: "IT",
    es: "ES",
    nl: "NL",
    sv: "SE",
    da: "DK",
    fi: "FI",
    pl: "PL",
    pt: "PT",
    ja: "JP",
  };
  return byLanguage[language ?? ""] ?? "US";
}
