import { readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { describeData } from "../testing.ts";
import { declaredEncoding, decodeText, encodingOfLabel } from "./charset.ts";

const page = (body: string, head = ""): string =>
  `<!doctype html><html><head>${head}<title>x</title></head><body><p>${body}</p></body></html>`;

/** A few sentences of each language, with an encoding that it was written in before UTF-8. */
const SAMPLES: readonly (readonly [encoding: string, text: string])[] = [
  ["windows-1252", "Le café était fermé à cause de la grève; c’est l’été, les élèves sont déjà partis en vacances."],
  ["windows-1252", "Die Bäckerei öffnet um fünf Uhr früh, danach gibt es süße Brötchen für alle Gäste der Straße."],
  [
    "windows-1252",
    "El niño comió una manzana más y después salió corriendo; ¿dónde está el jardín de la señora Núñez?",
  ],
  ["windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Dnes večer přijde můj přítel a přinese čerstvé řízky."],
  [
    "windows-1250",
    "Zażółć gęślą jaźń. Wczoraj poszedłem do sklepu, żeby kupić chleb i świeże mleko dla całej rodziny.",
  ],
  ["windows-1254", "Bugün hava çok güzel, çocuklar dışarıda oynuyor. Şimdi öğretmen sınıfa girdi ve ışığı açtı."],
  ["windows-1251", "Сегодня утром мы пошли гулять в парк, и там было очень много людей. Погода стояла прекрасная."],
  ["koi8-r", "Сегодня утром мы пошли гулять в парк, и там было очень много людей. Погода стояла прекрасная."],
  ["ibm866", "Сегодня утром мы пошли гулять в парк, и там было очень много людей. Погода стояла прекрасная."],
  ["iso-8859-5", "Сегодня утром мы пошли гулять в парк, и там было очень много людей. Погода стояла прекрасная."],
  ["windows-1253", "Σήμερα το πρωί πήγαμε βόλτα στο πάρκο και ο καιρός ήταν πολύ καλός για όλους."],
  ["windows-1255", "הבוקר הלכנו לטייל בפארק ומזג האוויר היה נעים מאוד לכולם"],
  ["windows-1256", "ذهبنا هذا الصباح إلى الحديقة وكان الطقس جميلا جدا للجميع"],
  ["windows-874", "เช้านี้เราไปเดินเล่นที่สวนสาธารณะและอากาศดีมากสำหรับทุกคน"],
  ["shift_jis", "今日は天気がとても良いので、朝から公園へ散歩に行きました。子供たちもたくさんいました。"],
  ["euc-jp", "今日は天気がとても良いので、朝から公園へ散歩に行きました。子供たちもたくさんいました。"],
  ["gb18030", "今天早上我们去公园散步，天气非常好，那里有很多人。孩子们都很高兴，大家一起玩了一个上午。"],
  ["big5", "今天早上我們去公園散步，天氣非常好，那裡有很多人。孩子們都很高興，大家一起玩了一個上午。"],
  ["euc-kr", "오늘 아침에 우리는 공원에 산책을 갔는데 날씨가 아주 좋았고 사람들이 많이 있었다."],
];

describe("decodeText", () => {
  for (const [encoding, text] of SAMPLES) {
    verifies("crawl:fetch:charset", `finds ${encoding} undeclared: ${text.slice(0, 12)}…`, () => {
      expect(decodeText(iconv.encode(page(text), encoding), "markup")).toEqual({
        text: page(text),
        encoding,
        reason: "guess",
        replacements: 0,
      });
    });
  }

  for (const [encoding, text] of SAMPLES) {
    verifies("crawl:fetch:charset", `believes ${encoding} in header and markup: ${text.slice(0, 12)}…`, () => {
      const bytes = iconv.encode(page(text), encoding);
      expect(decodeText(bytes, "markup", encoding)).toMatchObject({ text: page(text), encoding, reason: "http" });
      const declared = page(text, `<meta charset="${encoding}">`);
      expect(decodeText(iconv.encode(declared, encoding), "markup")).toMatchObject({
        text: declared,
        encoding,
        reason: "meta",
      });
    });
  }

  it.each(SAMPLES)("sees that %s was called UTF-8, and that UTF-8 was called it: %.12s…", (encoding, text) => {
    expect(decodeText(iconv.encode(page(text), encoding), "markup", "utf-8")).toMatchObject({
      text: page(text),
      encoding,
      reason: "overruled",
      declared: "utf-8",
    });
    expect(decodeText(Buffer.from(page(text)), "markup", encoding)).toMatchObject({
      text: page(text),
      encoding: "utf-8",
      declared: encoding,
    });
  });

  verifies("crawl:fetch:charset", "puts a byte order mark above all, and drops it", () => {
    expect(decodeText(Buffer.from("\ufeffé"), "markup", "koi8-r")).toEqual({
      text: "é",
      encoding: "utf-8",
      reason: "bom",
      replacements: 0,
    });
    expect(decodeText(Buffer.from("\ufeffé", "utf16le"), "plain").text).toBe("é");
    expect(decodeText(Buffer.from("\ufeffé", "utf16le").swap16(), "plain").encoding).toBe("utf-16be");
  });

  it("finds UTF-16 without a mark, and UTF-8 without a word", () => {
    expect(decodeText(Buffer.from(page("hello"), "utf16le"), "markup")).toMatchObject({
      text: page("hello"),
      encoding: "utf-16le",
    });
    expect(decodeText(Buffer.from("naïve"), "plain")).toMatchObject({
      text: "naïve",
      encoding: "utf-8",
      reason: "utf-8",
    });
  });

  it("reads ISO-2022-JP, which is ASCII to the eye", () => {
    const bytes = Buffer.from("\x1b$B:#F|\x1b(B ok", "latin1");
    expect(decodeText(bytes, "plain")).toMatchObject({ text: "今日 ok", encoding: "iso-2022-jp", reason: "guess" });
    expect(decodeText(bytes, "plain", "iso-2022-jp").text).toBe("今日 ok");
  });

  it("does not take ASCII for UTF-16 because its header says so", () => {
    expect(decodeText(Buffer.from("plain"), "plain", "utf-16")).toMatchObject({ text: "plain", reason: "overruled" });
  });

  it("falls back to windows-1252, where byte 0x80 is the euro sign", () => {
    expect(decodeText(Buffer.from("plain"), "plain")).toEqual({
      text: "plain",
      encoding: "windows-1252",
      reason: "default",
      replacements: 0,
    });
    expect(decodeText(Buffer.from([0x80, 0x20, 0x35]), "plain", "iso-8859-1").text).toBe("€ 5");
  });

  it("keeps UTF-8 for a page cut within a character, or with a few bad bytes", () => {
    const whole = Buffer.from(page("é".repeat(50)));
    const broken = Buffer.concat([whole, Buffer.from([0xff]), Buffer.from("é").subarray(0, 1)]);
    expect(decodeText(broken, "markup", "utf-8")).toMatchObject({ encoding: "utf-8", reason: "http", replacements: 2 });
  });

  it("passes over labels it does not know, and those the standard bars", () => {
    expect(decodeText(Buffer.from("é"), "plain", "no-such-charset").encoding).toBe("utf-8");
    expect(["UTF8", " latin1 ", "x-sjis", "hz-gb-2312", "nonsense", ""].map(encodingOfLabel)).toEqual([
      "utf-8",
      "windows-1252",
      "shift_jis",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("reads no declaration in plain text", () => {
    expect(decodeText(Buffer.from('<meta charset="koi8-r">'), "plain").encoding).toBe("windows-1252");
  });

  it("decodes every encoding of the standard without throwing", () => {
    const labels =
      "utf-8 ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr utf-16be utf-16le x-user-defined replacement".split(
        " ",
      );
    const bytes = Uint8Array.from({ length: 256 }, (_byte, index) => index);
    for (const label of labels) expect(decodeText(bytes, "plain", label).text.length).toBeGreaterThan(100);
  });

  it("never throws, whatever the bytes and the label", () => {
    const label = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom("utf-8", "utf-16", "gbk", "iso-2022-jp", "shift_jis", "big5"),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        label,
        fc.constantFrom("markup", "plain"),
        (bytes, charset, kind) => {
          expect(typeof decodeText(bytes, kind, charset).text).toBe("string");
          expect(typeof decodeText(bytes, kind).encoding).toBe("string");
        },
      ),
      { numRuns: 200 },
    );
  });
});

describeData("html-tests", (folder) => {
  const read = (name: string): Buffer => readFileSync(path.join(folder, "html5lib-encoding", name));

  for (const [name, count] of [
    ["tests1.dat", 59],
    ["tests2.dat", 22],
    ["test-yahoo-jp.dat", 1],
  ] as const) {
    verifies("crawl:fetch:charset-cases", `finds the declared encoding of every case of ${name}`, () => {
      const cases = read(name)
        .toString("latin1")
        .split(/(?:^|\n)#data\n/)
        .slice(1)
        .map((text) => text.split(/\n#encoding\n/));
      expect(cases).toHaveLength(count);
      for (const [data = "", expected = ""] of cases) {
        const found = declaredEncoding(Buffer.from(data, "latin1"), "markup")?.encoding ?? "windows-1252";
        expect([data, found]).toEqual([data, expected.trim().toLowerCase()]);
      }
    });
  }

  it("finds Big5 in the sample that declares nothing", () => {
    expect(decodeText(read("chardet/test_big5.txt"), "markup")).toMatchObject({ encoding: "big5" });
  });
});
