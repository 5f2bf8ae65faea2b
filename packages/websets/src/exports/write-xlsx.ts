import { AppError } from "@quarry/base";
import { strToU8, Zip, ZipDeflate } from "fflate";
import type { CellValue, ExportColumn } from "./export-table.ts";
import type { ItemBatches } from "./export-rows.ts";
import { isFormula } from "./is-formula.ts";

/** What Excel takes at most. */
const MAX_CELL_CHARACTERS = 32_767;
const MAX_ROWS = 1_048_576;
/** The style of a text that must not be taken for a formula when someone edits it: Excel's own apostrophe. */
const QUOTED_STYLE = 1;
const HEADER_STYLE = 2;

/** A table as an Excel workbook of one sheet, made as it is sent. Every text is a text cell: none is a formula. */
export async function* writeXlsx(columns: readonly ExportColumn[], batches: ItemBatches): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw new AppError("internal", "the workbook could not be packed", { cause: error });
    made.push(chunk);
  });
  const take = (): Uint8Array => {
    const chunk = Buffer.concat(made);
    made = [];
    return chunk;
  };
  for (const [name, content] of Object.entries(PARTS)) addPart(zip, name, content);
  const sheet = new ZipDeflate("xl/worksheets/sheet1.xml");
  sheet.mtime = EPOCH;
  zip.add(sheet);
  let row = 1;
  sheet.push(
    strToU8(
      SHEET_START +
        writeRow(
          row,
          columns.map(({ name }) => name),
          HEADER_STYLE,
        ),
    ),
  );
  yield take();
  for await (const batch of batches) {
    let xml = "";
    for (const whole of batch) {
      row += 1;
      if (row > MAX_ROWS)
        throw new AppError("unprocessable", `a sheet holds ${MAX_ROWS - 1} items: export csv or parquet`);
      xml += writeRow(
        row,
        columns.map(({ read }) => read(whole)),
        0,
      );
    }
    sheet.push(strToU8(xml));
    yield take();
  }
  sheet.push(strToU8(SHEET_END), true);
  zip.end();
  yield take();
}

/** The same cut gives the same bytes, whenever it is written. */
const EPOCH = "2000-01-01T00:00:00Z";

function addPart(zip: Zip, name: string, content: string): void {
  const part = new ZipDeflate(name);
  part.mtime = EPOCH;
  zip.add(part);
  part.push(strToU8(content), true);
}

function writeRow(row: number, cells: readonly CellValue[], style: number): string {
  const written = cells.map((value, index) => writeCell(`${columnName(index)}${row}`, value, style)).join("");
  return `<row r="${row}">${written}</row>`;
}

function writeCell(place: string, value: CellValue, style: number): string {
  if (value === null) return "";
  if (typeof value === "number") return `<c r="${place}"><v>${value}</v></c>`;
  const shown = value.length > MAX_CELL_CHARACTERS ? `${value.slice(0, MAX_CELL_CHARACTERS - 1)}…` : value;
  const styled = isFormula(value) ? QUOTED_STYLE : style;
  const attribute = styled === 0 ? "" : ` s="${styled}"`;
  return `<c r="${place}" t="inlineStr"${attribute}><is><t xml:space="preserve">${escapeXml(shown)}</t></is></c>`;
}

/** A, B … Z, AA, AB … */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** XML has no place for most control characters and for half of a surrogate pair. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>]/g, (mark) => ENTITIES[mark] ?? mark);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const SHEET_START = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
const SHEET_END = "</sheetData></worksheet>";

const PARTS = {
  "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  "_rels/.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/workbook.xml": `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Items" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  "xl/styles.xml": `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf quotePrefix="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`,
} as const;
