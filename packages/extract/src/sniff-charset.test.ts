import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sniffCharset } from "./sniff-charset.ts";

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("sniffCharset", () => {
  it.each([
    ["a byte order mark before all else", "\xef\xbb\xbf<meta charset=koi8-r>", "iso-8859-2", "utf-8"],
    ["the transport before the meta element", "<meta charset=koi8-r>", "Shift_JIS", "shift_jis"],
    ["the meta element", "<meta charset=koi8-r>", undefined, "koi8-r"],
    ["the old form of it", `<meta http-equiv="Content-Type" content="text/html; charset=gbk">`, undefined, "gbk"],
    ["no meta element in a comment", "<!-- <meta charset=koi8-r> -->", undefined, "utf-8"],
    ["UTF-16 in a meta element as UTF-8", "<meta charset=utf-16>", undefined, "utf-8"],
    ["valid UTF-8 without a word", "caf\xc3\xa9", undefined, "utf-8"],
    ["anything else as windows-1252", "caf\xe9", undefined, "windows-1252"],
    ["an unknown label as none", "<meta charset=nonsense>", "nonsense", "utf-8"],
  ])("takes %s", (_, text, header, expected) => {
    expect(sniffCharset(latin1(text), header)).toBe(expected);
  });

  const folder = path.join(
    process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"),
    "html-tests",
    "html5lib-encoding",
  );
  it("agrees with html5lib's prescan cases (html-tests)", ({ skip }) => {
    if (!existsSync(folder)) skip("html-tests is not on this machine: set QUARRY_EVAL_DATA");
    const cases = readFileSync(path.join(folder, "tests1.dat"), "latin1")
      .split("#data\n")
      .slice(1)
      .filter((part) => !part.includes("document.write") && !part.includes("alert("))
      .map((part) => part.split("\n#encoding\n"));
    const wrong = cases.filter(([data = "", encoding = ""]) => {
      const expected = new TextDecoder(encoding.trim().split("\n")[0]).encoding;
      const found = sniffCharset(latin1(data));
      // without a declaration html5lib expects its default; we look whether the bytes are UTF-8
      return found !== expected && !(expected === "windows-1252" && found === "utf-8");
    });
    expect(cases.length).toBeGreaterThan(20);
    expect(wrong.map(([data = ""]) => data.slice(0, 80))).toEqual([]);
  });
});
