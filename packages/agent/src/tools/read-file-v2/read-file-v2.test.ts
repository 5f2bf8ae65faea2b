import { symlinkSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { readFileV2Tool } from "./read-file-v2.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** One page that says "Hello paper". */
const PDF = [
  "%PDF-1.4",
  "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj",
  "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj",
  "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj",
  "4 0 obj <</Length 42>> stream",
  "BT /F1 18 Tf 20 100 Td (Hello paper) Tj ET",
  "endstream endobj",
  "5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj",
  "trailer <</Root 1 0 R>>",
  "%%EOF",
].join("\n");
const FILES = {
  "a.txt": "one\r\ntwo\r\nthree\r\n",
  "empty.txt": "",
  "latin.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9]),
  "dot.png": PNG,
  "data.bin": Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
  ".env": "SECRET=1",
  "hidden/plan.md": "secret",
  ".cursorignore": "hidden/\n",
  ".cursor/rules/texts.mdc": "---\ndescription: About texts\nglobs: *.txt\nalwaysApply: false\n---\nBe brief.\n",
};

describe("read_file_v2", () => {
  verifies(
    [
      "tools:read-file-v2:params:target-file",
      "tools:read-file-v2:params:offset",
      "tools:read-file-v2:params:limit",
      "tools:read-file-v2:params:chars-limit",
      "tools:read-file-v2:params:effective-uri",
      "tools:read-file-v2:params:enable-line-numbers",
      "tools:read-file-v2:result:contents",
      "tools:read-file-v2:result:num-characters-in-requested-range",
      "tools:read-file-v2:result:offset-is-bigger-than-number-of-lines-in-file",
      "tools:read-file-v2:result:total-lines-in-file",
      "tools:read-file-v2:result:matching-cursor-rules",
    ],
    "reads a range by lines, says what it is a part of, and names the rules about the file",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const tool = readFileV2Tool(deps);
        const rule = { name: "texts", description: "About texts", body: "Be brief.", isFromGlob: true };
        expect(await run(tool, { targetFile: "a.txt" })).toMatchObject({
          contents: "one\ntwo\nthree",
          totalLinesInFile: 3,
          numCharactersInRequestedRange: 13,
          matchingCursorRules: [rule],
        });
        const ranges = await Promise.all(
          [
            { offset: 2, limit: 1 },
            { offset: -1 },
            { offset: 2, limit: 1, enableLineNumbers: true },
            { charsLimit: 5 },
            { offset: 9 },
          ].map((range) => run(tool, { targetFile: path.join(root, "a.txt"), ...range })),
        );
        expect(ranges.map(({ contents }) => contents)).toEqual(["two", "three", "     2|two", "one\nt", ""]);
        expect(ranges[3]).toMatchObject({ numCharactersInRequestedRange: 13 });
        expect(ranges[4]).toMatchObject({ offsetIsBiggerThanNumberOfLinesInFile: true, totalLinesInFile: 3 });
        const byUri = await run(tool, { targetFile: "nothing", effectiveUri: `file://${root}/a.txt`, limit: 1 });
        expect(byUri["contents"]).toBe("one");
      }),
  );

  verifies(
    [
      "tools:read-file-v2:behaviour:did-you-mean",
      "tools:read-file-v2:behaviour:binary",
      "tools:read-file-v2:behaviour:empty-file",
    ],
    "names close files for a missing one and the type of a binary; an empty file is no error",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = readFileV2Tool(deps);
        await expect(run(tool, { targetFile: "b.txt" })).rejects.toThrow(/did you mean a\.txt/);
        await expect(run(tool, { targetFile: "data.bin" })).rejects.toThrow(/an ELF program/);
        expect(await run(tool, { targetFile: "empty.txt" })).toMatchObject({ contents: "", totalLinesInFile: 0 });
        expect((await run(tool, { targetFile: "latin.txt" }))["contents"]).toBe("café");
        expect((await run(tool, { targetFile: "dot.png" }))["images"]).toMatchObject([
          { data: PNG.toString("base64"), dimension: { width: 1, height: 1 } },
        ]);
      }),
  );

  verifies("tools:read-file-v2:behaviour:pdf", "reads the text of a PDF, page by page", () =>
    withWorkspace({ "paper.pdf": PDF }, async ({ deps, run }) => {
      const read = await run(readFileV2Tool(deps), { targetFile: "paper.pdf" });
      expect(read["contents"]).toBe("[page 1]\nHello paper");
    }),
  );

  verifies("tools:read-file-v2:result:images", "scales large images down and draws the pages of a PDF", async () => {
    const { createCanvas, loadImage } = await import("@napi-rs/canvas");
    const wide = createCanvas(3_136, 400);
    wide.getContext("2d").fillRect(0, 0, 1_568, 400);
    const files = { "wide.png": await wide.encode("png"), "wide.jpg": await wide.encode("jpeg"), "paper.pdf": PDF };
    await withWorkspace(files, async ({ deps, run }) => {
      const tool = readFileV2Tool(deps);
      for (const targetFile of ["wide.png", "wide.jpg"]) {
        const [shown] = imagesOf(await run(tool, { targetFile }));
        expect(shown?.dimension).toEqual({ width: 1_568, height: 200 });
        const { width, height } = await loadImage(Buffer.from(shown?.data ?? "", "base64"));
        expect([width, height]).toEqual([1_568, 200]);
      }
      const [page, ...more] = imagesOf(await run(tool, { targetFile: "paper.pdf" }));
      expect([page?.dimension, more]).toEqual([{ width: 1_024, height: 1_024 }, []]);
      expect(await countInk(Buffer.from(page?.data ?? "", "base64"))).toBeGreaterThan(1_000);
    });
  });

  it("passes a large image on as it is where nothing can draw, says so, and still reads a PDF", async () => {
    const { createCanvas } = await import("@napi-rs/canvas");
    const files = { "wide.png": await createCanvas(2_000, 10).encode("png"), "paper.pdf": PDF };
    await withWorkspace(files, async ({ deps, run }) => {
      const absent = new AppError("unavailable", "pictures cannot be drawn here");
      const tool = readFileV2Tool({ ...deps, loadCanvas: () => Promise.reject(absent) });
      expect(await run(tool, { targetFile: "wide.png" })).toMatchObject({
        contents: "[not scaled down: pictures cannot be drawn here]",
        images: [{ dimension: { width: 2_000, height: 10 } }],
      });
      const read = await run(tool, { targetFile: "paper.pdf" });
      expect(read["contents"]).toBe("[page 1]\nHello paper\n[no pictures: pictures cannot be drawn here]");
    });
  });

  it("refuses an image that would fill the memory, before it is unpacked", () => {
    const bomb = Buffer.from(PNG);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    return withWorkspace({ "bomb.png": bomb }, async ({ deps, run }) => {
      await expect(run(readFileV2Tool(deps), { targetFile: "bomb.png" })).rejects.toThrow(/60000 by 60000 pixels/);
    });
  });

  it("shows nothing outside the workspace, no secret and nothing an ignore file keeps back", () =>
    withWorkspace(FILES, async ({ root, deps, run }) => {
      const tool = readFileV2Tool(deps);
      symlinkSync("/etc/passwd", path.join(root, "link"));
      symlinkSync("/etc", path.join(root, "etc"));
      for (const targetFile of ["link", "etc/passwd", "../x", "/etc/passwd", `${root}x/a`]) {
        await expect(run(tool, { targetFile })).rejects.toThrow(/outside the workspace/);
      }
      for (const targetFile of [".env", "hidden/plan.md"]) {
        await expect(run(tool, { targetFile })).rejects.toThrow(/kept from tools/);
      }
    }));
});

interface ShownImage {
  readonly data: string;
  readonly dimension: { readonly width: number; readonly height: number };
}

function imagesOf(result: JsonObject): readonly ShownImage[] {
  return (result["images"] ?? []) as unknown as readonly ShownImage[];
}

/** How many pixels of a picture are dark. */
async function countInk(bytes: Buffer): Promise<number> {
  const { createCanvas, loadImage } = await import("@napi-rs/canvas");
  const image = await loadImage(bytes);
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let dark = 0;
  for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 255) < 128) dark += 1;
  return dark;
}
