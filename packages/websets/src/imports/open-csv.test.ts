import { verifies } from "@quarry/tests";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { findColumns, toAddress } from "./find-columns.ts";
import { openCsv } from "./open-csv.ts";
import { toImportRow } from "./to-import-row.ts";
import { UnusableFileError } from "./unusable-file-error.ts";

async function read(file: string | Uint8Array): Promise<readonly (readonly string[])[]> {
  const records: (readonly string[])[] = [];
  for await (const record of openCsv(typeof file === "string" ? Buffer.from(file) : file)()) records.push(record);
  return records;
}

async function refusalOf(file: string | Uint8Array): Promise<UnusableFileError> {
  try {
    await read(file);
  } catch (error) {
    if (error instanceof UnusableFileError) return error;
    throw error;
  }
  throw new Error("the file was read");
}

describe("a CSV file", () => {
  verifies("imports:csv:delimiters", "is read with any delimiter", async () => {
    for (const mark of [",", ";", "\t", "|", "^", "~", "\u0001", "¦"]) {
      const lines = [
        ["name", "url", "note"],
        ["Acme", "https://acme.example/?a=1&b=2", "3.5 - 4"],
        ["Öko", "https://oko.example", "a: b"],
      ];
      expect(await read(lines.map((line) => line.join(mark)).join("\n"))).toEqual(lines);
    }
    expect(await read("sep=;\r\nname;url, or link\r\nA;https://a.example\r\n")).toEqual([
      ["name", "url, or link"],
      ["A", "https://a.example"],
    ]);
    expect(await read("url\nhttps://a.example/x\nhttps://b.example/y\n")).toHaveLength(3);
  });

  verifies("imports:csv:quotes", "has quoted fields with delimiters, quotes and line breaks", async () => {
    expect(
      await read('name,url\n"Acme, ""the"" best\nof all",https://acme.example\nO"Neill,https://b.example\n'),
    ).toEqual([
      ["name", "url"],
      ['Acme, "the" best\nof all', "https://acme.example"],
      ['O"Neill', "https://b.example"],
    ]);
  });

  verifies("imports:csv:bom", "may begin with a byte order mark", async () => {
    expect((await read("\ufeffurl,name\nhttps://a.example,A\n"))[0]).toEqual(["url", "name"]);
  });

  verifies("imports:csv:encodings", "is read in the encoding it is written in", async () => {
    const table = (name: string): string =>
      `name,url\n${Array.from({ length: 12 }, (_, index) => `${name},https://a.example/${index}`).join("\n")}\n`;
    const cases: readonly (readonly [string, string])[] = [
      ["utf16le", "Zürich"],
      ["utf16be", "Zürich"],
      ["utf32le", "Zürich"],
      ["windows-1252", "Société générale à Zürich"],
      ["windows-1251", "Общество с ограниченной ответственностью"],
      ["koi8-r", "общество с ограниченной ответственностью"],
      ["shift_jis", "ソニーグループと任天堂のゲーム"],
      ["euc-jp", "ソニーグループと任天堂のゲーム"],
      ["euc-kr", "삼성전자 주식회사 대한민국"],
      ["gb18030", "中国石油天然气有限公司的人在北京"],
      ["big5", "台灣積體電路製造公司是中國的人"],
    ];
    for (const [encoding, name] of cases) {
      const marked = encoding.startsWith("utf");
      const records = await read(iconv.encode(table(name), encoding, { addBOM: marked }));
      expect([encoding, records[1]?.[0]]).toEqual([encoding, name]);
    }
    expect((await read(iconv.encode(table("Zürich"), "utf16le")))[1]?.[0]).toBe("Zürich");
  });

  it.each([
    ["an Excel workbook", Buffer.from("PK\u0003\u0004rest", "latin1"), "invalid_format"],
    ["a PDF", Buffer.from("%PDF-1.7 …"), "invalid_format"],
    ["a web page", "<!doctype html><html></html>", "invalid_format"],
    ["JSON", '[{"url": "https://a.example"}]', "invalid_format"],
    ["bytes of no text", Buffer.from([1, 0, 7, 3, 0, 0, 5, 9, 0, 2]), "invalid_format"],
    ["nothing", "", "invalid_file_content"],
    ["blanks", " \r\n \n", "invalid_file_content"],
    ["a quote that never ends", 'name,url\n"Acme,https://a.example\nB,https://b.example\n', "invalid_file_content"],
  ])("is refused when it is %s", async (_, file, reason) => {
    const refusal = await refusalOf(file);
    expect([refusal.reason, refusal.message.length > 10]).toEqual([reason, true]);
  });
});

describe("the columns", () => {
  const columnsOf = (chosen: number | null, ...records: readonly (readonly string[])[]) => findColumns(records, chosen);

  verifies("imports:identifier:inferred", "are told apart: addresses before names before e-mails", () => {
    const byUrl = columnsOf(
      null,
      ["Company Name", "Website", "CEO"],
      ["Acme", "acme.com", "A. B."],
      ["Bolt", "", "C. D."],
    );
    expect(byUrl).toMatchObject({ identifier: 1, url: 1, name: 0, hasHeader: true });
    expect(columnsOf(null, ["logo", "homepage"], ["https://cdn.com/a.png", "a.com"])).toMatchObject({ identifier: 1 });
    expect(columnsOf(null, ["name", "year"], ["Acme", "1990"])).toMatchObject({ identifier: 0, url: undefined });
    expect(columnsOf(null, ["contact"], ["a@acme.com"])).toMatchObject({ identifier: 0 });
    expect(columnsOf(null, ["https://a.com/x", "A"], ["https://b.com", "B"])).toMatchObject({ hasHeader: false });
  });

  it("are refused when none names anything, or the chosen one is not there", () => {
    expect(() => columnsOf(null, ["year", "size"], ["1990", "4"])).toThrow(/"year", "size"/);
    expect(() => columnsOf(5, ["a", "b"], ["1", "2"])).toThrow(/2 columns/);
    expect(() => columnsOf(null, ["url", "name"])).toThrow(/no records/);
  });

  it("make rows that name an entity, and none that do not", () => {
    const columns = columnsOf(
      null,
      ["name", "url", ""],
      ["Acme", "https://ACME.com/?utm_source=x", "n"],
      ["B", "b.com", ""],
    );
    expect(toImportRow(columns, ["Acme", "https://ACME.com/?utm_source=x", "n"])).toEqual({
      identifier: "https://ACME.com/?utm_source=x",
      url: "https://acme.com/",
      name: "Acme",
      fields: { name: "Acme", url: "https://ACME.com/?utm_source=x", "column 3": "n" },
    });
    expect(toImportRow(columns, ["Only name", "n/a"])).toMatchObject({ identifier: "Only name", url: null });
    expect(toImportRow(columns, ["", "n/a", "x"])).toBeUndefined();
    expect(toImportRow({ ...columns, isChosen: true, identifier: 2 }, ["", "", "x"])).toMatchObject({
      identifier: "x",
    });
  });

  it("take hosts for addresses, and not versions, prices or e-mails", () => {
    expect(
      ["acme.com", "www.acme.co.uk/about", "http://acme.com"].map((cell) => toAddress(cell) !== undefined),
    ).toEqual([true, true, true]);
    expect(["1.2", "v2.0", "a@acme.com", "Acme Inc.", "3.50"].map(toAddress)).toEqual(Array(5).fill(undefined));
  });
});
