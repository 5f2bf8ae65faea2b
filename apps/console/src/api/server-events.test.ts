import { expect, it } from "vitest";
import { createEventReader, readServerEvents } from "./server-events.ts";

const STREAM = ': hello\n\nid: 1\nevent: crawl.running\ndata: {"a":1}\n\ndata: one\ndata: two\n\ndata:[DONE]\n\n';

const EVENTS = [
  { id: "1", type: "crawl.running", data: '{"a":1}' },
  { id: undefined, type: "message", data: "one\ntwo" },
  { id: undefined, type: "message", data: "[DONE]" },
];

it.each([1, 2, 7, STREAM.length])("reads frames that come in pieces of %d", (length) => {
  const read = createEventReader();
  const pieces = STREAM.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
  expect(pieces.flatMap((piece) => read(piece))).toEqual(EVENTS);
});

it("reads lines that end as on other systems", () => {
  expect(createEventReader()(STREAM.replaceAll("\n", "\r\n"))).toEqual(EVENTS);
});

it("reads a reply to its end", async () => {
  const events = [];
  for await (const event of readServerEvents(new Response(STREAM))) events.push(event);
  expect(events).toEqual(EVENTS);
});
