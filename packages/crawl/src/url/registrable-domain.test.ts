import { describe, expect, it } from "vitest";
import { isSameSite, registrableDomain, siteOf } from "./registrable-domain.ts";

describe("registrableDomain", () => {
  it.each([
    ["news.bbc.co.uk", "bbc.co.uk"],
    ["me.github.io", "me.github.io"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["co.uk", undefined],
    ["localhost", undefined],
    ["127.0.0.1", undefined],
    ["[::1]", undefined],
    [".example.com", undefined],
    ["", undefined],
  ])("finds in %s the domain %s", (host, domain) => {
    expect(registrableDomain(host)).toBe(domain);
  });

  it("compares hosts that have no domain by name", () => {
    expect(siteOf("127.0.0.1")).toBe("127.0.0.1");
    expect(isSameSite("http://127.0.0.1:1/a", "http://127.0.0.1:2/b")).toBe(true);
    expect(isSameSite("http://a.github.io/", "http://b.github.io/")).toBe(false);
    expect(isSameSite("http://a.example.com/", "https://b.example.com/")).toBe(true);
    expect(isSameSite("nonsense", "nonsense")).toBe(false);
  });
});
