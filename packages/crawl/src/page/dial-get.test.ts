import { AppError } from "@quarry/base";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../testing.ts";
import { getByDialer, type Dial, type DialedReply } from "./dial-get.ts";
import type { HttpStop } from "./http-exchange.ts";

const never = new AbortController().signal;
const request = { url: "https://a.test/", headers: {}, maxBytes: 10 };

function dialing(reply: Partial<DialedReply>): { readonly dial: Dial; readonly discarded: () => boolean } {
  let discarded = false;
  const whole: DialedReply = {
    kind: "reply",
    url: "https://a.test/",
    status: 200,
    headers: {},
    body: chunksOf(Buffer.from("hello"), 2),
    discard: () => {
      discarded = true;
    },
    ...reply,
  };
  return { dial: () => Promise.resolve(whole), discarded: () => discarded };
}

describe("getByDialer", () => {
  it("reads the body and joins repeated headers", async () => {
    const { dial } = dialing({ headers: { "X-Robots-Tag": ["noindex", "a: none"], etag: '"1"', gone: undefined } });
    expect(await getByDialer(dial)(request, never)).toEqual({
      kind: "reply",
      url: "https://a.test/",
      status: 200,
      headers: { "x-robots-tag": "noindex, a: none", etag: '"1"' },
      body: Buffer.from("hello"),
      truncated: false,
    });
  });

  it("cuts a body at the limit and lets the rest go", async () => {
    const { dial, discarded } = dialing({ body: chunksOf(Buffer.alloc(100, 97), 8) });
    const reply = await getByDialer(dial)(request, never);
    expect(reply).toMatchObject({ truncated: true, body: Buffer.from("a".repeat(10)) });
    expect(discarded()).toBe(true);
  });

  it("reads a body to where the dialer finds it too large", async () => {
    const stop: HttpStop = { kind: "refused", reason: "body-too-large", message: "no" };
    const body = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunksOf(Buffer.from("hello"), 2);
      throw Object.assign(new AppError("too_large", "no"), { stop });
    };
    const reply = await getByDialer(dialing({ body: body() }).dial)(request, never);
    expect(reply).toMatchObject({ truncated: true, body: Buffer.from("hello") });
  });

  it("passes on what the dialer refuses, before the body or within it", async () => {
    const stop: HttpStop = { kind: "refused", reason: "private-address", message: "no" };
    expect(await getByDialer(() => Promise.resolve(stop))(request, never)).toBe(stop);
    const broken = Object.assign(new AppError("upstream_failed", "reset"), { stop });
    // eslint-disable-next-line @typescript-eslint/require-await -- a body that breaks at once
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      throw broken;
    })();
    expect(await getByDialer(dialing({ body }).dial)(request, never)).toBe(stop);
  });
});
