import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMediaType, readMediaType, type MediaReading } from "./media-type.ts";

const reading = (type: string | undefined, body: string): MediaReading =>
  readMediaType(type, Buffer.from(body, "latin1"));
const readable = (format: string, mismatch = false): unknown => ({ kind: "readable", format, mismatch });
const unsupported = (found: string, mismatch = false): unknown => ({ kind: "unsupported", found, mismatch });

describe("parseMediaType", () => {
  it.each([
    ["text/html", { essence: "text/html" }],
    ["Text/HTML; Charset=UTF-8", { essence: "text/html", charset: "UTF-8" }],
    ['text/html;x=1; charset="utf-8"; y', { essence: "text/html", charset: "utf-8" }],
    ["text/html; charset='koi8-r'", { essence: "text/html", charset: "koi8-r" }],
    ["text/html, application/pdf", { essence: "application/pdf" }],
    ["*/*", undefined],
    ["nonsense", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j", (header, expected) => {
    expect(parseMediaType(header)).toEqual(expected);
  });
});

describe("readMediaType", () => {
  it.each([
    ["text/html", "<!DOCTYPE html><p>x", readable("html")],
    ["text/html; charset=utf-8", "just words", readable("html")],
    ["application/xhtml+xml", '<?xml version="1.0"?><html>', readable("html")],
    [undefined, "\n <!-- c -->\n<HTML lang=en>", readable("html")],
    ["text/plain", "<html><body>served as text", readable("html", true)],
    ["text/plain", "a < b", readable("text")],
    [undefined, "words", readable("text")],
    ["application/octet-stream", "%PDF-1.7\n", readable("pdf")],
    ["application/pdf", "%PDF-1.7\n", readable("pdf")],
    ["text/html", "%PDF-1.7\n", readable("pdf", true)],
    ["application/pdf", "<html>log in first</html>", readable("html", true)],
    ["application/pdf", "sorry", unsupported("text", true)],
    ["application/rss+xml", '<?xml version="1.0"?><rss>', readable("xml")],
    ["text/html", '<?xml version="1.0"?><rss>', readable("html")],
    [undefined, "<urlset xmlns='x'>", readable("xml")],
    ["application/json", '{"a":1}', readable("text")],
    ["application/zip", "PK\x03\x04____[Content_Types].xml_word/document.xml", readable("docx", true)],
    [undefined, "PK\x03\x04____ppt/slides", readable("pptx")],
    ["application/epub+zip", "PK\x03\x04____mimetypeapplication/epub+zip", readable("epub")],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04??", readable("docx")],
    ["application/zip", "PK\x03\x04??", unsupported("zip")],
    ["image/png", "\x89PNG\r\n\x1a\n", unsupported("image/png")],
    ["text/html", "\x89PNG\r\n\x1a\n", unsupported("image/png", true)],
    ["image/png", "<html>hotlinking forbidden", readable("html", true)],
    ["image/svg+xml", "<svg>", unsupported("image/svg+xml")],
    ["video/mp4", "\x00\x00\x00\x18ftypmp42", unsupported("video/mp4")],
    ["text/css", "a{}", unsupported("text/css")],
    ["text/html", "ab\x00\x01\x02", unsupported("binary", true)],
    [undefined, "ab\x00\x01\x02", unsupported("binary")],
    ["text/html", "<!doctype html><title>a</title>no\x02\x00 harm\x1f", readable("html")],
    [undefined, "<html><body>no\x02\x00 harm", readable("html")],
    ["text/plain", "BM is also how a sentence may begin", readable("text")],
    ["text/html", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", readable("html")],
    ["text/html", "", readable("html")],
    [undefined, "", readable("text")],
  ])("%s with %j", (type, body, expected) => {
    expect(reading(type, body)).toEqual(expected);
  });

  it("sniffs a row of comments in linear time", () => {
    expect(reading(undefined, `${"<!-- -->".repeat(150)}<?php`)).toEqual(readable("text"));
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), fc.uint8Array(), (type, body) => {
        expect(["readable", "unsupported"]).toContain(readMediaType(type, body).kind);
      }),
    );
  });
});
