import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { readBody } from "../body/read-body.ts";
import { assembleDialer, createDialer, type DialerOptions } from "../dialer.ts";
import type { RefusalReason } from "../outcome.ts";
import { verifies } from "@quarry/tests";
import { fakeResolve, openTo } from "../testing.ts";
import { parseTarget, type Guard } from "./guard.ts";

/**
 * Every vector is dialled twice with the same network: a resolver that answers
 * as the vector says, and a connector under which public addresses lead to a
 * harmless server and all others to the canary. With the guard no connection
 * may reach the canary; without it each must, or the vector proves nothing.
 */
interface Vector {
  readonly name: string;
  readonly url: string;
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What the public server answers, by path; others answer 200. */
  readonly redirects?: Readonly<Record<string, readonly [status: number, location: string]>>;
}

const PUBLIC = "93.184.215.14";
const PUBLIC_V6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c";
/** Public, and nobody answers there: the attacker makes us try the next address. */
const DEAD = "93.184.215.99";

const IPV4 = [
  ...["0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.1.2.3", "10.255.255.255"],
  ...["100.64.0.0", "100.64.0.1", "100.127.255.255", "100.100.100.200", "127.0.0.0", "127.0.0.1", "127.0.0.53"],
  ...["127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.170.23"],
  ...["169.254.42.42", "169.254.255.255", "172.16.0.0", "172.17.0.1", "172.31.255.255", "192.0.0.0", "192.0.0.170"],
  ...["192.0.0.192", "192.0.0.255", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.0"],
  ...["192.168.1.1", "192.168.255.255", "192.175.48.1", "198.18.0.0", "198.19.255.255", "198.51.100.7"],
  ...["203.0.113.255", "224.0.0.1", "239.255.255.250", "240.0.0.1", "254.1.1.1", "255.255.255.254", "255.255.255.255"],
];

const IPV6 = [
  ...["::", "::1", "::2", "::127.0.0.1", "::7f00:1", "::10.0.0.1", "::a9fe:a9fe", "::8.8.8.8"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8"],
  ...["0:0:0:0:0:ffff:7f00:0001", "::ffff:0:127.0.0.1", "::ffff:0:a00:1"],
  ...["64:ff9b::7f00:1", "64:ff9b::169.254.169.254", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::10.0.0.1"],
  ...["100::1", "100:0:0:1::1", "2001::1", "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:2::1", "2001:3::1"],
  ...["2001:4:112::1", "2001:10::1", "2001:1f:ffff::1", "2001:20::1", "2001:2f::1", "2001:30::1", "2001:1ff::1"],
  ...["2001:db8::1", "2001:db8:ffff:ffff::1", "2002:7f00:1::", "2002:7f00:1::1", "2002:a9fe:a9fe::1"],
  ...["2002:808:808::1", "2620:4f:8000::1", "3fff::1", "3fff:fff:ffff::1", "5f00::1", "4000::1", "8000::1"],
  ...["2606:2800::5efe:127.0.0.1", "2606:2800::200:5efe:a00:1", "1000::1", "e000::1", "200::1", "400::1"],
  ...["fc00::1", "fd00::1", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fdff:ffff::1", "fe80::1"],
  ...["fe80::a9fe:a9fe", "febf::1", "fec0::1", "feff::1", "ff02::1", "ff0e::1", "ffff::1"],
];

const IPV4_SPELLINGS = [
  ...["2130706433", "0x7f000001", "0X7F000001", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "0x7f.0x0.0x0.0x1"],
  ...["127.1", "127.0.1", "0x7f.1", "0177.1", "00000177.0.0.1", "127.000.000.001", "127.0x0.0.01", "127.0.0.1."],
  ...["2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "0xA9.0xFE.0xA9.0xFE", "169.254.43518", "169.16689662"],
  ...["025177524776", "0", "0x0", "00", "0.0", "1", "167772161", "0xa000001", "10.1", "192.168.257", "3232235777"],
  ...[
    "１２７．０．０．１",
    "127。0。0。1",
    "127｡0｡0｡1",
    "①②⑦.⓪.⓪.①",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "１６９.254.169.２５４",
    "0ⅹ7f000001",
  ],
  ...[
    "127%2e0%2e0%2e1",
    "%31%32%37.0.0.1",
    "127.0.0.%31",
    "0%78%37f.1",
    "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
    "127.0\u00ad.0.1",
  ],
];

const IPV6_SPELLINGS = [
  ...["[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0:1]", "[::FFFF:127.0.0.1]"],
  ...[
    "[::ffff:7F00:1]",
    "[::ffff:a9fe:a9fe]",
    "[0:0:0:0:0:0:127.0.0.1]",
    "[FE80::1]",
    "[64:FF9B::7F00:1]",
    "[::0.0.0.0]",
  ],
];

const WHOLE_URLS = [
  ...["HTTP://127.0.0.1/", "http:127.0.0.1/", "http:/127.0.0.1/", "http:///127.0.0.1/", "http:\\\\127.0.0.1\\"],
  ...[
    " http://127.0.0.1/ ",
    "ht\ttp://127.0.0.1/",
    "http://127.0\n.0.1/",
    "http://127.0.0.1:80/",
    "https://127.0.0.1/",
  ],
  ...[
    "http://127.0.0.1:8080/",
    "http://127.0.0.1:65535/",
    "http://127.0.0.1:080/",
    "http://127.0.0.1:/",
    "https://[::1]:443/",
  ],
  ...["http://127.0.0.1#@public.example/", "http://127.0.0.1?@public.example/", "http://127.0.0.1\\@public.example/"],
  ...[
    "http://127.0.0.1/..;/@public.example",
    "http://public.example@127.0.0.1/",
    "http://public.example:80@127.0.0.1/",
  ],
  ...[
    "http://public.example%2f@127.0.0.1/",
    "http://public.example%23@127.0.0.1/",
    "http://a:b@[::1]/",
    "http://@127.0.0.1/",
  ],
  ...["http://:@127.0.0.1/", "http://public.example\t@127.0.0.1/", "http://1.1.1.1 &@127.0.0.1#@3.3.3.3/"],
  ...[
    "http://public.example&@127.0.0.1/",
    "http://foo@public.example@127.0.0.1/",
    "http://foo@127.0.0.1:80@169.254.169.254/",
  ],
  ...["http://[::ffff:127.0.0.1]:22/", "http://10.0.0.1:6379/", "http://172.17.0.1:2375/containers/json"],
];

const LOCAL_NAMES = [
  ...["localhost", "LOCALHOST", "localhost.", "LocalHost.", "a.localhost", "a.b.localhost.", "localhost.localdomain"],
  ...["printer.local", "printer.local.", "svc.internal", "metadata.google.internal", "METADATA.google.internal."],
  ...["metadata", "metadata.goog", "metadata.tencentyun.com", "instance-data", "instance-data.ec2.internal"],
  ...[
    "kubernetes.default.svc.cluster.local",
    "router.lan",
    "nas.home.arpa",
    "host.docker.internal",
    "wpad",
    "intranet",
  ],
  ...[
    "wiki.corp",
    "tv.home",
    "db.private",
    "app.intranet",
    "ip6-localhost",
    "x.onion",
    "ｌｏｃａｌｈｏｓｔ",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  ],
  ...["localhoſt", "%6c%6f%63%61%6c%68%6f%73%74", "local\u00adhost", "LOCALHOST%2e", "printer。local"],
];

/** Names anybody can register that lead inside. */
const LEADING_INSIDE: readonly (readonly [string, readonly string[]])[] = [
  ["127.0.0.1.nip.example", ["127.0.0.1"]],
  ["localtest.example", ["::1"]],
  ["cname.example", ["169.254.169.254"]],
  ["both-families.example", ["127.0.0.1", "::1"]],
  ["zone.example", ["fe80::1%eth0"]],
  ["zone-loopback.example", ["::1%lo"]],
  ["mixed.example", [DEAD, "127.0.0.1"]],
  ["mixed-metadata.example", [DEAD, "169.254.169.254"]],
  ["mixed-first.example", ["10.0.0.1", PUBLIC]],
  ["mixed-v6.example", [DEAD, "::1"]],
  ["mixed-mapped.example", [DEAD, "::ffff:10.0.0.1"]],
  ["mixed-nat64.example", [DEAD, "64:ff9b::a00:1"]],
  ["mixed-ula.example", [DEAD, "fd12:3456::1"]],
  ["mixed-many.example", [DEAD, DEAD, DEAD, DEAD, "192.168.0.1"]],
  ["xn--mnchen-3ya.example", ["192.168.1.1"]],
  ["münchen.example", ["192.168.1.1"]],
  ["trailing-dot.example.", ["10.0.0.1"]],
  ["under_score.example", ["10.0.0.1"]],
];

/** Answers change between the first connection and the next one to the same host. */
const REBINDING = [
  "127.0.0.1",
  "::1",
  "169.254.169.254",
  "10.0.0.1",
  "fd00::1",
  "::ffff:127.0.0.1",
  "0.0.0.0",
  "fe80::1%2",
];

const REDIRECT_TARGETS: readonly (readonly [string, string])[] = [
  ["loopback", "http://127.0.0.1/"],
  ["metadata", "http://169.254.169.254/latest/meta-data/iam/security-credentials/"],
  ["IPv6 loopback over https", "https://[::1]/"],
  ["a scheme-relative address", "//10.0.0.1/admin"],
  ["backslashes", "\\\\127.0.0.1\\"],
  ["a decimal address", "http://2130706433/"],
  ["localhost", "http://localhost/"],
  ["a name that leads inside", "http://inside.example/"],
  ["an address behind a user name", "http://public.example@127.0.0.1/"],
  ["a blocked port", "http://public.example:25/"],
];

const BLOCKED_PORTS = [21, 22, 23, 25, 53, 110, 111, 143, 389, 465, 587, 2049, 5060, 6000, 6667, 10080];

const VECTORS: readonly Vector[] = [
  ...IPV4.map((address) => ({ name: `address ${address}`, url: `http://${address}/` })),
  ...IPV4.map((address) => ({
    name: `name leading to ${address}`,
    url: "https://name.example/",
    dns: { "name.example": [[address]] },
  })),
  ...IPV6.map((address) => ({ name: `address ${address}`, url: `http://[${address}]/` })),
  ...IPV6.map((address) => ({
    name: `name leading to ${address}`,
    url: "https://name.example/",
    dns: { "name.example": [[address]] },
  })),
  ...[...IPV4_SPELLINGS, ...IPV6_SPELLINGS].map((host) => ({ name: `spelling ${host}`, url: `http://${host}/` })),
  ...WHOLE_URLS.map((url) => ({ name: `URL ${JSON.stringify(url)}`, url })),
  ...LOCAL_NAMES.map((host) => ({
    name: `local name ${host}`,
    url: `http://${host}/`,
    dns: { [new URL(`http://${host}/`).hostname.replace(/\.$/, "")]: [["127.0.0.1"]] },
  })),
  ...LEADING_INSIDE.map(([host, addresses]) => ({
    name: `${host} with ${addresses.join(", ")}`,
    url: `http://${host}/`,
    dns: { [new URL(`http://${host}/`).hostname.replace(/\.$/, "")]: [addresses] },
  })),
  ...REBINDING.map((address) => ({
    name: `rebinding to ${address}`,
    url: "http://rebind.example/start",
    dns: { "rebind.example": [[PUBLIC], [address]] },
    redirects: { "/start": [302, "/again"] as const },
  })),
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    REDIRECT_TARGETS.map(([name, location]) => ({
      name: `${status} to ${name}`,
      url: "http://public.example/start",
      dns: { "inside.example": [["192.168.0.10"]], localhost: [["127.0.0.1"]] },
      redirects: { "/start": [status, location] as const },
    })),
  ),
  {
    name: "a chain of public redirects that ends inside",
    url: "http://public.example/one",
    redirects: {
      "/one": [301, "/two"],
      "/two": [302, "http://other.example/three"],
      "/three": [307, "//127.0.0.1/"],
    },
  },
  {
    name: "a relative redirect on a host that moved inside",
    url: "http://rebind.example/a/b",
    dns: { "rebind.example": [[PUBLIC], [DEAD, "10.0.0.1"]] },
    redirects: { "/a/b": [308, "../c"] },
  },
  ...BLOCKED_PORTS.map((port) => ({ name: `port ${port}`, url: `http://public.example:${port}/` })),
];

/** What never becomes a connection, guard or not, because no URL parser or no HTTP client accepts it. */
const NEVER_DIALLED: readonly (readonly [string, RefusalReason])[] = [
  ["", "invalid-url"],
  ["not a url", "invalid-url"],
  ["/relative", "invalid-url"],
  ["http://", "invalid-url"],
  ["http://[fe80::1%25eth0]/", "invalid-url"],
  ["http://[::1%25lo]/", "invalid-url"],
  ["http://[::1", "invalid-url"],
  ["http://[127.0.0.1]/", "invalid-url"],
  ["http://127.0.0.1.1/", "invalid-url"],
  ["http://256.0.0.1/", "invalid-url"],
  ["http://0x100000000/", "invalid-url"],
  ["http://public.example%40127.0.0.1/", "invalid-url"],
  ["http://public.example%00.127.0.0.1/", "invalid-url"],
  ["http://local host/", "invalid-url"],
  ["http://public.example:99999/", "invalid-url"],
  ["http://localhost../", "invalid-url"],
  ["http://.public.example/", "invalid-url"],
  [`http://public.example/${"a".repeat(20_000)}`, "invalid-url"],
  ["ftp://public.example/", "scheme"],
  ["file:///etc/passwd", "scheme"],
  ["gopher://127.0.0.1:6379/_INFO", "scheme"],
  ["data:text/html,hello", "scheme"],
  ["javascript:alert(1)", "scheme"],
  ["ws://public.example/", "scheme"],
  ["wss://public.example/", "scheme"],
  ["dict://127.0.0.1:11211/stats", "scheme"],
  ["ldap://127.0.0.1/", "scheme"],
  ["jar:http://127.0.0.1!/", "scheme"],
  ["blob:http://127.0.0.1/1", "scheme"],
  ["unix:/var/run/docker.sock", "scheme"],
  ["http+unix://%2Fvar%2Frun%2Fdocker.sock/info", "scheme"],
  ["about:blank", "scheme"],
  ["http://user@public.example/", "credentials"],
  ["http://user:secret@public.example/", "credentials"],
  ["http://:secret@public.example/", "credentials"],
];

/** Just outside each range, lookalike names, and URLs that only mention private places. */
const HARMLESS = [
  ...["1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
  ...[
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
  ],
  ...["192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255"],
  ...["198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "134744072"],
  ...["[2606:4700:4700::1111]", "[2001:4860:4860::8888]", "[2001:200::1]", "[2001:db7:ffff::1]", "[2001:db9::1]"],
  ...["[2000::1]", "[2003::1]", "[2400:cb00::1]", "[2a00:1450::1]", "[2001:1fff::1]", "[3ffe::1]", "[3fff:1000::1]"],
  ...[
    "public.example",
    "PUBLIC.example",
    "public.example.",
    "public.example:8080",
    "public.example:8443",
    "public.example:3000",
  ],
  ...[
    "localhost.example",
    "local.example",
    "internal.example",
    "metadata.example",
    "127.0.0.1.example",
    "a.b.c.d.example",
  ],
  ...["notlocalhost.example", "xn--mnchen-3ya.example", "münchen.example", "192-168-0-1.example", "mylocal.example"],
  ...[
    "public.example/?url=http://127.0.0.1/",
    "public.example/#@127.0.0.1",
    "public.example/@127.0.0.1/x",
    "public.example/\\127.0.0.1",
  ],
  ...["public.example/redirect", "public.example/%2e%2e/%00", "public.example?localhost", "public.example/a:b@c"],
].map((rest) => `http://${rest}${/[/?#]/.test(rest) ? "" : "/"}`);

let canary: { readonly port: number; accepted: number; readonly server: TcpServer };
let harmless: { readonly port: number; readonly server: Server };
let answers: Vector["redirects"];

beforeAll(async () => {
  const canaryServer = createTcpServer((socket) => {
    canary.accepted += 1;
    socket.on("error", () => undefined); // the client may leave in the middle
    socket.resume().end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncanary");
  });
  const harmlessServer = createServer((request, response) => {
    const [status, location] = answers?.[request.url ?? ""] ?? [200, undefined];
    response.writeHead(status, { connection: "close", ...(location === undefined ? {} : { location }) });
    response.end("harmless");
  });
  for (const server of [canaryServer, harmlessServer]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
  canary = { port: (canaryServer.address() as AddressInfo).port, accepted: 0, server: canaryServer };
  harmless = { port: (harmlessServer.address() as AddressInfo).port, server: harmlessServer };
});

afterAll(async () => {
  for (const { server } of [canary, harmless]) await new Promise((resolve) => server.close(resolve));
});

/** The guard of somebody who trusts everything. */
const OPEN_GUARD: Guard = {
  judgeUrl: parseTarget,
  judgeAddresses: (_target, addresses) => ({ kind: "cleared", addresses }),
};

function networkOf(vector: Pick<Vector, "dns">): DialerOptions {
  const names = { "public.example": [[PUBLIC, PUBLIC_V6]], "other.example": [[PUBLIC]], ...vector.dns };
  return {
    resolve: fakeResolve(names),
    openSocket: openTo((address, port) => {
      if (address === DEAD) return undefined;
      const isHarmless = (address === PUBLIC || address === PUBLIC_V6) && (port === 80 || port === 443);
      return isHarmless ? harmless.port : canary.port;
    }),
  };
}

async function dial(vector: Vector, guard: "on" | "off") {
  answers = vector.redirects;
  const network = networkOf(vector);
  const dialer = guard === "on" ? createDialer(network) : assembleDialer(OPEN_GUARD, network);
  try {
    const outcome = await dialer.fetch({ url: vector.url }, AbortSignal.timeout(5_000));
    if (outcome.kind === "reply") outcome.discard();
    return outcome;
  } finally {
    await dialer.close();
  }
}

async function expectNoConnection(vectors: readonly Vector[]): Promise<void> {
  expect(vectors.length).toBeGreaterThan(0);
  for (const vector of vectors) {
    const before = canary.accepted;
    const outcome = await dial(vector, "on");
    const seen = { name: vector.name, kind: outcome.kind, reached: canary.accepted - before };
    expect(seen).toEqual({ name: vector.name, kind: "refused", reached: 0 });
  }
}

describe("vectors", () => {
  verifies("security:dialer:200-vectors", "are at least 200, each of its own", () => {
    expect(new Set(VECTORS.map((vector) => vector.name)).size).toBe(VECTORS.length);
    expect(VECTORS.length).toBeGreaterThanOrEqual(200);
  });

  for (const vector of VECTORS) {
    verifies("security:dialer:200-vectors", `with the guard, no connection: ${vector.name}`, async () => {
      await expectNoConnection([vector]);
    });

    verifies("security:dialer:vectors-effective", `without the guard, the canary: ${vector.name}`, async () => {
      const before = canary.accepted;
      await dial(vector, "off");
      expect(canary.accepted - before).toBeGreaterThanOrEqual(1);
    });
  }

  const named = (...starts: readonly string[]): readonly Vector[] =>
    VECTORS.filter((vector) => starts.some((start) => vector.name.startsWith(start)));
  const leadingTo = (addresses: readonly string[]): readonly Vector[] =>
    addresses.flatMap((address) => VECTORS.filter((vector) => vector.name.endsWith(` ${address}`)));

  verifies("security:dialer:ipv4-private", "of IPv4 cover every range that is not public", async () => {
    await expectNoConnection(leadingTo(IPV4));
  });
  verifies("security:dialer:ipv6-private", "of IPv6 cover every range that is not public", async () => {
    await expectNoConnection(leadingTo(IPV6));
  });
  verifies(
    "security:dialer:ipv4-in-ipv6",
    "with an IPv4 address inside are refused even when it is public",
    async () => {
      const embedded = IPV6.filter((address) => /8\.8\.8\.8$|808:808|127\.0\.0\.1$|7f00:1|^2001:0:/.test(address));
      await expectNoConnection(leadingTo(embedded));
    },
  );
  verifies("security:dialer:metadata-hosts", "at metadata services are refused by address and by name", async () => {
    await expectNoConnection([
      ...leadingTo(["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"]),
      ...named("local name metadata", "local name METADATA", "local name instance-data"),
    ]);
  });
  verifies("security:dialer:odd-literals", "in odd spellings are the addresses they mean", async () => {
    await expectNoConnection(named("spelling "));
  });
  verifies("security:dialer:localhost-names", "under local names are refused", async () => {
    await expectNoConnection(named("local name "));
  });
  verifies("security:dialer:userinfo-and-backslash", "that hide the host are refused", async () => {
    await expectNoConnection(named("URL "));
  });
  verifies("security:dialer:every-address-checked", "with one good and one bad address are refused", async () => {
    await expectNoConnection(named("mixed"));
  });
  verifies("security:dialer:redirect-rechecked", "behind redirects are refused", async () => {
    await expectNoConnection(named("301 ", "302 ", "303 ", "307 ", "308 ", "a chain", "a relative redirect"));
  });
  verifies("security:dialer:resolve-once-and-pin", "that change their address later are refused", async () => {
    await expectNoConnection(named("rebinding "));
  });

  verifies("security:dialer:http-only", "of other schemes are never dialled", async () => {
    const others = NEVER_DIALLED.filter(([, reason]) => reason === "scheme");
    await expectNoConnection(others.map(([url]) => ({ name: url, url })));
  });

  it.each(NEVER_DIALLED)("says what is wrong with %s", async (url, reason) => {
    const before = canary.accepted;
    const outcome = await dial({ name: url, url }, "on");
    expect(outcome).toMatchObject({ kind: "refused", reason });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(canary.accepted - before).toBe(0);
  });

  it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "data:,x", "javascript:1"])(
    "refuses a redirect to %s",
    async (location) => {
      const url = "http://public.example/start";
      const outcome = await dial({ name: location, url, redirects: { "/start": [302, location] } }, "on");
      expect(outcome).toMatchObject({ kind: "refused", reason: "scheme" });
    },
  );
});

describe("harmless URLs", () => {
  verifies("security:dialer:harmless-pass", "are at least 50", () => {
    expect(new Set(HARMLESS).size).toBeGreaterThanOrEqual(50);
  });

  for (const url of HARMLESS) {
    verifies("security:dialer:harmless-pass", `pass: ${url}`, async () => {
      answers = { "/redirect": [302, "http://other.example/"] };
      const before = canary.accepted;
      const dialed: string[] = [];
      const dialer = createDialer({
        resolve: (host) => Promise.resolve(host.includes("v6") ? [PUBLIC_V6] : [PUBLIC, PUBLIC_V6]),
        openSocket: (address, port, signal) => {
          dialed.push(address);
          return openTo(() => harmless.port)(address, port, signal);
        },
      });
      try {
        const reply = await dialer.fetch({ url }, AbortSignal.timeout(5_000));
        if (reply.kind !== "reply") throw new Error(JSON.stringify(reply));
        const body = await readBody(reply);
        expect(body).toEqual({ kind: "read", bytes: Buffer.from("harmless") });
        expect([reply.status, reply.remoteAddress]).toEqual([200, dialed.at(-1)]);
        expect(canary.accepted - before).toBe(0);
      } finally {
        await dialer.close();
      }
    });
  }
});
