import type { WebsetExportHeader } from "@quarry/store";
import type { WholeItem } from "../runs/show-item.ts";

/** What stands in a cell of a table; null for nothing. */
export type CellValue = string | number | null;

/** One column: its name, whether it holds numbers, and what it says of an item. */
export interface ExportColumn {
  readonly name: string;
  readonly kind: "text" | "number";
  readonly read: (whole: WholeItem) => CellValue;
}

/**
 * The columns of a webset's table: who an item is, what its kind has, then each criterion's verdict and each
 * enrichment's value, every one of them with the addresses of its evidence beside it. The evidence of the first ones is
 * the item's own address.
 */
export function exportColumns(header: WebsetExportHeader): readonly ExportColumn[] {
  const columns = [
    ...IDENTITY,
    ...header.types.flatMap((type) => OF_TYPE[type] ?? []),
    ...header.criteria.flatMap((criterion) => criterionColumns(criterion)),
    ...header.enrichments.flatMap((enrichment) => enrichmentColumns(enrichment)),
  ];
  const taken = new Map<string, number>();
  return columns
    .filter((column, index) => columns.findIndex((other) => other === column) === index) // kinds share columns
    .map((column) => {
      const times = (taken.get(column.name) ?? 0) + 1;
      taken.set(column.name, times);
      return times === 1 ? column : { ...column, name: `${column.name} (${times})` };
    });
}

type Fields = Readonly<Record<string, unknown>>;

function propertiesOf(whole: WholeItem): Fields {
  const { properties } = whole.item.entity as { readonly properties?: Fields };
  return properties ?? {};
}

/** What is nested under the name of the kind: `company`, `person`, `article`, `researchPaper`, `custom`. */
function fieldsOf(whole: WholeItem): Fields {
  const properties = propertiesOf(whole);
  const key = properties["type"] === "research_paper" ? "researchPaper" : String(properties["type"]);
  return (properties[key] ?? {}) as Fields;
}

function show(value: unknown): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return String(value);
  return Object.values(value)
    .filter((part) => part !== null && part !== "")
    .map(String)
    .join(", ");
}

function text(name: string, read: (whole: WholeItem) => CellValue): ExportColumn {
  return { name, kind: "text", read };
}

function field(name: string, key: string, kind: ExportColumn["kind"] = "text"): ExportColumn {
  return {
    name,
    kind,
    read: (whole) => {
      const value = show(fieldsOf(whole)[key]);
      return kind === "number" && typeof value !== "number" ? null : value;
    },
  };
}

const IDENTITY: readonly ExportColumn[] = [
  text("id", ({ item }) => item.id),
  text("url", (whole) => show(propertiesOf(whole)["url"])),
  text("type", (whole) => show(propertiesOf(whole)["type"])),
  text("name", (whole) => {
    const { name } = whole.item.entity as { readonly name?: unknown };
    return show(name) ?? show(fieldsOf(whole)["name"]) ?? show(fieldsOf(whole)["title"]);
  }),
  text("description", (whole) => show(propertiesOf(whole)["description"])),
  text("source", ({ item }) => item.source),
  text("createdAt", ({ item }) => item.createdAt.toISOString()),
];

const LOCATION = field("location", "location");
const WORK = [field("author", "author"), field("publishedAt", "publishedAt"), field("title", "title")] as const;

const OF_TYPE: Readonly<Record<string, readonly ExportColumn[]>> = {
  company: [
    LOCATION,
    field("employees", "employees", "number"),
    field("industry", "industry"),
    field("about", "about"),
    field("logoUrl", "logoUrl"),
    field("foundedYear", "foundedYear", "number"),
    field("headquarters", "headquarters"),
  ],
  person: [
    LOCATION,
    field("position", "position"),
    text("company", (whole) => show((fieldsOf(whole)["company"] as Fields | null | undefined)?.["name"])),
    field("pictureUrl", "pictureUrl"),
  ],
  article: WORK,
  research_paper: WORK,
  custom: WORK,
};

function criterionColumns(criterion: string): readonly ExportColumn[] {
  const verdictOf = (whole: WholeItem) => whole.item.evaluations.find((one) => one.criterion === criterion);
  return [
    text(criterion, (whole) => verdictOf(whole)?.satisfied ?? null),
    text(`${criterion} (evidence)`, (whole) => addresses(verdictOf(whole)?.references)),
  ];
}

function enrichmentColumns(enrichment: WebsetExportHeader["enrichments"][number]): readonly ExportColumn[] {
  const name = enrichment.title ?? enrichment.description;
  const cellOf = (whole: WholeItem) => whole.cells.find(({ enrichmentId }) => enrichmentId === enrichment.id);
  const isNumber = enrichment.format === "number";
  return [
    {
      name,
      kind: isNumber ? "number" : "text",
      read: (whole) => {
        const result = cellOf(whole)?.result ?? null;
        if (result === null || result.length === 0) return null;
        const value = Number(result[0]);
        return isNumber ? (Number.isFinite(value) ? value : null) : result.join("; ");
      },
    },
    text(`${name} (evidence)`, (whole) => addresses(cellOf(whole)?.references)),
  ];
}

/** Each address once, with a space between: none of them has one. */
function addresses(references: readonly { readonly url: string }[] | undefined): CellValue {
  const urls = [...new Set((references ?? []).map(({ url }) => url))];
  return urls.length === 0 ? null : urls.join(" ");
}
