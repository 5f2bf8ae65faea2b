import path from "node:path";
import { readDates, readEmails, readNumbers, readPhones, readUrls } from "@quarry/websets";
import { readArchive } from "./extract-archives.ts";
import type { PartOutcome } from "./websets-part.ts";

const NAME = "recognizers-text-specs";

interface Case {
  readonly Input: string;
  readonly Context?: { readonly ReferenceDateTime?: string };
  readonly Results: readonly {
    readonly Text: string;
    readonly TypeName: string;
    readonly Resolution?: {
      readonly value?: string | null;
      readonly subtype?: string;
      readonly values?: readonly { readonly timex?: string; readonly type?: string }[];
    };
  }[];
}

/** How a format's cases are chosen, what they expect and what we read; a case passes when both lists are the same. */
interface Format {
  readonly name: string;
  readonly file: RegExp;
  /** Cases that our format can express; the rest is counted apart. */
  readonly covers: (one: Case) => boolean;
  readonly expected: (one: Case) => readonly string[];
  readonly read: (one: Case) => readonly string[];
}

const FORMATS: readonly Format[] = [
  {
    name: "email",
    file: /EmailModel/,
    covers: () => true,
    expected: ({ Results }) => Results.map(({ Text }) => Text.toLowerCase()),
    read: ({ Input }) => readEmails(Input).map(({ value }) => value),
  },
  {
    name: "url",
    file: /URLModel/,
    covers: () => true,
    expected: ({ Results }) => Results.map(({ Text }) => Text.toLowerCase()),
    read: ({ Input }) => readUrls(Input).map(({ value }) => value.toLowerCase()),
  },
  {
    name: "phone",
    file: /PhoneNumberModel/,
    covers: () => true,
    expected: ({ Results }) => Results.map(({ Text }) => lastDigits(Text)),
    read: ({ Input }) => readPhones(Input, undefined).map(({ start, end }) => lastDigits(Input.slice(start, end))),
  },
  {
    name: "number (whole and decimal)",
    file: /\/NumberModel/,
    covers: ({ Results }) =>
      Results.length > 0 && Results.every(({ Resolution }) => /^(?:integer|decimal)$/.test(Resolution?.subtype ?? "")),
    expected: ({ Results }) => Results.map(({ Resolution }) => String(Number(Resolution?.value))),
    read: ({ Input }) => readNumbers(Input).map(({ value }) => String(value)),
  },
  {
    name: "number (money)",
    file: /CurrencyModel/,
    covers: ({ Results }) =>
      Results.length > 0 &&
      Results.every(
        ({ Resolution }) =>
          typeof Resolution?.value === "string" && /Dollar|Euro|Pound|Yen|Rupee|yuan/i.test(JSON.stringify(Resolution)),
      ),
    expected: ({ Results }) => Results.map(({ Resolution }) => String(Number(Resolution?.value))),
    read: ({ Input }) =>
      readNumbers(Input)
        .filter(({ currency }) => currency !== null)
        .map(({ value }) => String(value)),
  },
  {
    name: "date (with its year)",
    file: /DateTimeModel/,
    covers: ({ Results }) =>
      Results.length > 0 &&
      Results.every(
        ({ TypeName, Text, Resolution }) =>
          TypeName === "datetimeV2.date" &&
          isCalendarDate(Text) &&
          Resolution?.values?.length === 1 &&
          /^\d{4}-\d{2}-\d{2}$/.test(Resolution.values[0]?.timex ?? ""),
      ),
    expected: ({ Results }) => Results.map(({ Resolution }) => Resolution?.values?.[0]?.timex ?? ""),
    read: (one) =>
      readDates(one.Input, { writtenAt: new Date(one.Context?.ReferenceDateTime ?? "2016-11-07T00:00:00") })
        .map(({ value }) => value)
        .filter((value) => value.length === 10),
  },
];

/** The cases of Microsoft's recognisers, by format. */
export function evaluateRecognizers(dataDir: string): PartOutcome {
  const files = readArchive(path.join(dataDir, NAME, "specs.tar.gz"));
  if (files === undefined) return { table: undefined, missing: [NAME] };
  const rows = FORMATS.map((format) => {
    const cases = [...files]
      .filter(([file]) => format.file.test(file))
      .flatMap(([, text]) => JSON.parse(text.replace(/^\uFEFF/, "")) as readonly Case[]);
    const covered = cases.filter(format.covers);
    const passed = covered.filter((one) => {
      const isRight = same(format.expected(one), format.read(one));
      if (!isRight && process.env["WEBSETS_SHOW"] === format.name)
        process.stderr.write(
          `${one.Input}\n  wants ${format.expected(one).join(" | ")}\n  reads ${format.read(one).join(" | ")}\n`,
        );
      return isRight;
    });
    return [format.name, cases.length, covered.length, passed.length, passed.length / Math.max(1, covered.length)];
  });
  return {
    table: {
      title: `${NAME}: whole cases right`,
      columns: ["format", "cases", "our formats cover", "passed", "share"],
      rows,
    },
    missing: [],
  };
}

/** A day that is written down, not counted from another or named after a feast. */
function isCalendarDate(text: string): boolean {
  return (
    /\d{4}/.test(text) &&
    !/\b(?:since|from|after|before|ago)\b/i.test(text) &&
    (/jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i.test(text) || !/[a-z]{3}/i.test(text))
  );
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && [...one].sort().join("\n") === [...other].sort().join("\n");
}

function lastDigits(text: string): string {
  return text.replaceAll(/\D/g, "");
}
