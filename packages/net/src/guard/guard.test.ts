import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { parseAllowList } from "./allow-list.ts";
import { createGuard } from "./guard.ts";
import { specialNameOf } from "./special-name.ts";

/** What the whole guard says of a URL whose host has these addresses. */
function judge(allow: readonly string[], url: string, addresses: readonly string[] = []): string {
  const guard = createGuard(parseAllowList(allow));
  const target = guard.judgeUrl(url);
  if (target.kind === "refused") return target.reason;
  const verdict = guard.judgeAddresses(target, addresses.length === 0 ? [target.host] : addresses);
  return verdict.kind === "cleared" ? "cleared" : verdict.reason;
}

describe("an allowed host", () => {
  const cases: readonly (readonly [string, readonly string[], string, readonly string[], string])[] = [
    ["a name opens private addresses under it", ["wiki.corp"], "http://wiki.corp/", ["10.0.0.1"], "cleared"],
    ["… and public ones", ["wiki.corp"], "http://wiki.corp/", ["8.8.8.8"], "cleared"],
    ["… in any spelling a URL knows", ["Wiki.Corp."], "http://WIKI.corp./", ["fd00::1"], "cleared"],
    ["… but no name below it", ["wiki.corp"], "http://a.wiki.corp/", ["10.0.0.1"], "private-host"],
    ["… nor beside it", ["wiki.example"], "http://other.example/", ["10.0.0.1"], "private-address"],
    ["… nor the metadata service", ["a.example"], "http://a.example/", ["169.254.169.254"], "private-address"],
    ["… nor the wire server", ["a.example"], "http://a.example/", ["168.63.129.16"], "private-address"],
    ["… nor multicast", ["a.example"], "http://a.example/", ["224.0.0.1"], "private-address"],
    ["… nor the unspecified address", ["a.example"], "http://a.example/", ["0.0.0.0"], "private-address"],
    ["… nor an address in disguise", ["a.example"], "http://a.example/", ["::ffff:10.0.0.1"], "private-address"],
    ["… nor its address by number", ["localhost"], "http://127.0.0.1/", [], "private-address"],
    ["a port narrows it", ["a.example:8080"], "http://a.example:8080/", ["10.0.0.1"], "cleared"],
    ["… to that port", ["a.example:8080"], "http://a.example/", ["10.0.0.1"], "private-address"],
    ["port 80 counts as a port", ["a.example:80"], "https://a.example/", ["10.0.0.1"], "private-address"],
    ["a named port may be a barred one", ["a.example:6000"], "http://a.example:6000/", ["10.0.0.1"], "cleared"],
    ["a host alone opens no barred port", ["a.example"], "http://a.example:6000/", ["10.0.0.1"], "blocked-port"],
    ["localhost", ["localhost"], "http://localhost:7700/", ["127.0.0.1", "::1"], "cleared"],
    ["an address", ["127.0.0.1"], "http://127.0.0.1:7700/", [], "cleared"],
    ["… in any spelling", ["127.0.0.1"], "http://0x7f.1/", [], "cleared"],
    ["… also by a name that leads there", ["127.0.0.1"], "http://a.example/", ["127.0.0.1"], "cleared"],
    ["… but not beside another", ["127.0.0.1"], "http://a.example/", ["127.0.0.1", "10.0.0.1"], "private-address"],
    ["an address with a port", ["127.0.0.1:80"], "http://127.0.0.1:81/", [], "private-address"],
    ["an IPv6 address", ["::1"], "http://[::1]/", [], "cleared"],
    ["… in brackets with a port", ["[::1]:8080"], "http://[::1]:8080/", [], "cleared"],
    ["… for that port", ["[::1]:8080"], "http://[::1]/", [], "private-address"],
    ["a block", ["10.0.0.0/8"], "http://10.9.8.7/", [], "cleared"],
    ["… also by a name", ["10.0.0.0/8"], "http://a.example/", ["10.0.0.1"], "cleared"],
    ["… also by a local name", ["10.0.0.0/8"], "http://db.internal/", ["10.0.0.1"], "cleared"],
    ["… but no local name elsewhere", ["10.0.0.0/8"], "http://db.internal/", ["8.8.8.8"], "private-address"],
    ["… nor another block", ["10.0.0.0/8"], "http://192.168.0.1/", [], "private-address"],
    ["the metadata service by its number", ["169.254.169.254"], "http://169.254.169.254/", [], "cleared"],
    ["nothing about schemes", ["a.example"], "ftp://a.example/", ["10.0.0.1"], "scheme"],
    ["nothing about credentials", ["a.example"], "http://u:p@a.example/", ["10.0.0.1"], "credentials"],
  ];
  for (const [name, allow, url, addresses, expected] of cases) {
    verifies("security:dialer:allow-list", name, () => {
      expect(judge(allow, url, addresses)).toBe(expected);
    });
  }

  it.each([
    "",
    " ",
    "http://a.example",
    "a.example/path",
    "a b",
    "10.0.0.0/99",
    "*.example",
    "user@host",
    "host:99999",
    "[::1",
    "a.example:x",
  ])("must be readable: %j is not", (entry) => {
    expect(() => parseAllowList([entry])).toThrow("allowed private hosts");
  });
});

describe("a refusal", () => {
  it("says what is wrong and what to do", () => {
    const guard = createGuard(parseAllowList([]));
    expect(guard.judgeUrl("http://10.0.0.1/x")).toEqual({
      kind: "refused",
      reason: "private-address",
      url: "http://10.0.0.1/x",
      message: "10.0.0.1 is private, not a public address. An operator can open it in QUARRY_ALLOW_PRIVATE_HOSTS.",
    });
    expect(guard.judgeUrl("http://printer.local/")).toMatchObject({
      message:
        "printer.local is not a public host: names under .local are for local networks. " +
        "An operator can open it in QUARRY_ALLOW_PRIVATE_HOSTS.",
    });
  });

  it("never repeats a password", () => {
    const guard = createGuard(parseAllowList([]));
    for (const url of [
      "http://u:secret@a.example/",
      "ftp://u:secret@a.example/",
      "http://u:secret@[bad/",
      "//u:secret@x",
    ]) {
      expect(JSON.stringify(guard.judgeUrl(url))).not.toContain("secret");
    }
  });

  it("is a failure when a host has no address at all", () => {
    const guard = createGuard(parseAllowList([]));
    const target = guard.judgeUrl("http://a.example/");
    if (target.kind === "refused") throw new Error(target.reason);
    expect(guard.judgeAddresses(target, [])).toMatchObject({ kind: "failed", reason: "dns" });
  });
});

describe("specialNameOf", () => {
  it.each(["localhost", "a.localhost.", "x.internal", "metadata.goog", "wpad", "a.home.arpa", "abc.onion"])(
    "knows %s",
    (name) => {
      expect(specialNameOf(name)).toBeTypeOf("string");
    },
  );

  it.each(["example.com", "localhost.example.com", "internal.example", "home.arpa.example", "notlocal.example."])(
    "leaves %s to its addresses",
    (name) => {
      expect(specialNameOf(name)).toBeUndefined();
    },
  );
});
