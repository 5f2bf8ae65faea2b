import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { isInBlock, parseAddressBlock, specialRangeOf } from "./special-address.ts";

describe("specialRangeOf", () => {
  it.each([
    ["0.0.0.0", "unspecified"],
    ["10.1.2.3", "private"],
    ["100.64.0.1", "shared"],
    ["100.100.100.200", "metadata"],
    ["127.0.0.1", "loopback"],
    ["168.63.129.16", "metadata"],
    ["169.254.1.1", "link-local"],
    ["169.254.169.254", "metadata"],
    ["172.16.0.1", "private"],
    ["192.0.0.1", "protocol-assignment"],
    ["192.0.2.1", "documentation"],
    ["192.88.99.1", "translated"],
    ["192.168.0.1", "private"],
    ["198.18.0.1", "benchmarking"],
    ["224.0.0.1", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::7f00:1", "translated"],
    ["::ffff:8.8.8.8", "translated"],
    ["64:ff9b::808:808", "translated"],
    ["2001:0:1::1", "translated"],
    ["2002:808:808::1", "translated"],
    ["2001:db8::1", "documentation"],
    ["3fff::1", "documentation"],
    ["5f00::1", "reserved"],
    ["fd00:ec2::254", "metadata"],
    ["fd00::1", "unique-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["2606:4700::1%eth0", "link-local"],
    ["fec0::1", "site-local"],
    ["ff02::1", "multicast"],
    ["8.8.8.8", undefined],
    ["2606:4700::1111", undefined],
    ["", "reserved"],
    ["localhost", "reserved"],
    ["127.1", "reserved"],
    ["010.8.8.8", "reserved"],
    ["8.8.8.8:80", "reserved"],
  ])("calls %s %s", (address, expected) => {
    expect(specialRangeOf(address)).toBe(expected);
  });

  it("never calls an address public that ipaddr.js calls special, or that lies outside 2000::/3", () => {
    const publicV6 = ipaddr.IPv6.parseCIDR("2000::/3");
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        if (specialRangeOf(text) !== undefined) return true;
        const address = ipaddr.parse(text);
        return address.range() === "unicast" && (address.kind() === "ipv4" || address.match(publicV6));
      }),
      { numRuns: 20_000 },
    );
  });

  it("sees through every way to write an IPv4 address inside an IPv6 one", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const prefix of ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"]) {
          if (specialRangeOf(prefix + address) === undefined) return false;
        }
        return true;
      }),
    );
  });
});

describe("parseAddressBlock", () => {
  it.each([
    ["10.0.0.0/8", "10.200.0.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["10.0.0.5", "10.0.0.5", true],
    ["10.0.0.5", "10.0.0.6", false],
    ["fd00::/8", "fd12::1", true],
    ["fd00::/8", "10.0.0.1", false],
    ["0.0.0.0/0", "127.0.0.1", true],
    ["0.0.0.0/0", "::1", false],
    ["127.0.0.0/8", "::ffff:127.0.0.1", false],
    ["fe80::/10", "fe80::1%eth0", false],
    ["10.0.0.0/8", "not an address", false],
  ])("reads %s; whether %s lies in it: %s", (block, address, expected) => {
    const parsed = parseAddressBlock(block);
    if (parsed === undefined) throw new Error("not read");
    expect(isInBlock(address, parsed)).toBe(expected);
  });

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "::/129",
    "10/8",
    "host/8",
    "fe80::1%eth0",
    "10.0.0.0/1e1",
  ])("does not read %j", (text) => {
    expect(parseAddressBlock(text)).toBeUndefined();
  });
});
