import { createSocket } from "node:dgram";
import { createDialer, type Dialer } from "@quarry/net";
import { closeWithTest, fakeResolve, openTo, useServer, useTcpServer, type TestServer } from "@quarry/net/testing";
import { verifies } from "@quarry/tests";
import { expect, it, onTestFinished } from "vitest";
import { createRenderer } from "./renderer.ts";
import { canSandbox, describeBrowser } from "./testing-browser.ts";

const PUBLIC = "93.184.216.34";
const site = "http://site.example";

/** Every way we know by which a page can make a browser connect somewhere; `at` is `host:port` of the canary. */
const ATTEMPTS: Readonly<Record<string, (at: string, name: string) => string>> = {
  fetch: (at) => `fetch("http://${at}/fetch").catch(() => {});`,
  "fetch no-cors": (at) => `fetch("http://${at}/no-cors", { mode: "no-cors" }).catch(() => {});`,
  "fetch over https": (at) => `fetch("https://${at}/https").catch(() => {});`,
  "fetch of localhost": (at) => `fetch("http://localhost:${at.split(":")[1]}/localhost").catch(() => {});`,
  "fetch of another loopback": (at) => `fetch("http://127.0.0.2:${at.split(":")[1]}/other").catch(() => {});`,
  "fetch of IPv6 loopback": (at) => `fetch("http://[::1]:${at.split(":")[1]}/six").catch(() => {});`,
  "fetch of a number": (at) => `fetch("http://2130706433:${at.split(":")[1]}/number").catch(() => {});`,
  "fetch of a mapped address": (at) => `fetch("http://[::ffff:127.0.0.1]:${at.split(":")[1]}/mapped").catch(() => {});`,
  "fetch of a name for a private address": (at, name) =>
    `fetch("http://${name}:${at.split(":")[1]}/name").catch(() => {});`,
  "fetch of metadata": () => `fetch("http://169.254.169.254/latest/meta-data/").catch(() => {});`,
  "redirect from a public page": () => `fetch("${site}/redirect").catch(() => {});`,
  XMLHttpRequest: (at) => `const x = new XMLHttpRequest(); x.open("GET", "http://${at}/xhr"); x.send();`,
  "post of a form": (at) =>
    `const f = document.createElement("form"); f.method = "post"; f.target = "frame"; f.action = "http://${at}/form"; document.body.append(f); f.submit();`,
  "send beacon": (at) => `navigator.sendBeacon("http://${at}/beacon", "x");`,
  "event source": (at) => `new EventSource("http://${at}/events");`,
  websocket: (at) => `new WebSocket("ws://${at}/ws");`,
  "websocket over TLS": (at) => `new WebSocket("wss://${at}/wss");`,
  iframe: (at) => `const i = document.createElement("iframe"); i.src = "http://${at}/iframe"; document.body.append(i);`,
  "iframe by redirect": () =>
    `const r = document.createElement("iframe"); r.src = "${site}/redirect?frame"; document.body.append(r);`,
  "object and embed": (at) =>
    `document.body.insertAdjacentHTML("beforeend", '<object data="http://${at}/object"></object><embed src="http://${at}/embed">');`,
  script: (at) =>
    `const s = document.createElement("script"); s.src = "http://${at}/script.js"; document.body.append(s);`,
  "module import": (at) => `import("http://${at}/module.js").catch(() => {});`,
  worker: (at) =>
    `new Worker(URL.createObjectURL(new Blob(['fetch("http://${at}/worker").catch(() => {})'], { type: "text/javascript" })));`,
  "shared worker": (at) =>
    `new SharedWorker(URL.createObjectURL(new Blob(['fetch("http://${at}/shared").catch(() => {})'], { type: "text/javascript" })));`,
  image: (at) => `new Image().src = "http://${at}/image.png";`,
  stylesheet: (at) =>
    `document.head.insertAdjacentHTML("beforeend", '<link rel="stylesheet" href="http://${at}/a.css"><style>@import "http://${at}/b.css";</style>');`,
  hints: (at) =>
    `document.head.insertAdjacentHTML("beforeend", '<link rel="preconnect" href="http://${at}"><link rel="dns-prefetch" href="//${at}"><link rel="preload" as="fetch" href="http://${at}/preload"><link rel="prefetch" href="http://${at}/prefetch"><link rel="prerender" href="http://${at}/prerender">');`,
  "pop-up": (at) => `window.open("http://${at}/popup");`,
  "meta refresh in a frame": (at) =>
    `const m = document.createElement("iframe"); m.srcdoc = '<meta http-equiv="refresh" content="0;url=http://${at}/refresh">'; document.body.append(m);`,
  ping: (at) =>
    `const a = document.createElement("a"); a.href = "#x"; a.ping = "http://${at}/ping"; document.body.append(a); a.click();`,
  "web transport": (at) => `new WebTransport("https://${at}/transport");`,
  "own proxy settings": (at) =>
    `try { Object.defineProperty(navigator, "onLine", { value: true }); fetch("http://" + "${at}".replace("127.0.0.1", "127.1") + "/short").catch(() => {}); } catch {}`,
};

const page = (at: string, name: string): string =>
  `<iframe name="frame"></iframe><p>shown</p>${Object.entries(ATTEMPTS)
    .map(([what, make]) => `<script>/* ${what} */ try { ${make(at, name)} } catch {}</script>`)
    .join("\n")}`;

/** Shows the page with every attempt through a dialer; answers what the site was asked for. */
async function attempt(
  browserPath: string,
  canary: TestServer,
  makeDialer: (sitePort: number) => Dialer,
): Promise<readonly string[]> {
  const asked: string[] = [];
  const server = await useServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/redirected` }).end();
  });
  const renderer = createRenderer({
    dialer: closeWithTest(makeDialer(server.port)),
    browserPath,
    sandbox: canSandbox,
    userAgent: "QuarryBot/test",
    limits: { settleMs: 3_000 },
  });
  onTestFinished(() => renderer.close());
  const bytes = Buffer.from(page(`127.0.0.1:${canary.port}`, "inside.example"));
  const outcome = await renderer.render(
    { url: `${site}/`, bytes, headers: { "content-type": "text/html" } },
    new AbortController().signal,
  );
  expect(outcome).toMatchObject({ kind: "rendered" });
  await renderer.close();
  return asked;
}

describeBrowser("the requests of a page's scripts", (browserPath) => {
  const resolve = fakeResolve({
    "site.example": [[PUBLIC]],
    "inside.example": [["127.0.0.1"]],
    localhost: [["127.0.0.1"]],
  });

  verifies(
    "crawl:render:guarded",
    `none of ${Object.keys(ATTEMPTS).length} ways to a private address gets a connection`,
    async () => {
      const canary = await useTcpServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
      const asked = await attempt(browserPath, canary, (port) =>
        createDialer({ resolve, openSocket: openTo((address, to) => (address === PUBLIC ? port : to)) }),
      );
      expect(asked.toSorted()).toEqual(["/redirect", "/redirect?frame"]); // the scripts did run
      expect(canary.accepted()).toBe(0);
    },
    90_000,
  );

  it("reach the canary where the operator opened it: the attempts are real", async () => {
    const seen = new Set<string>();
    const canary = await useServer((request, response) => {
      seen.add((request.url ?? "").slice(1));
      response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end("x");
    });
    const allowPrivateHosts = ["127.0.0.0/8", "::1", "localhost", "inside.example"];
    await attempt(browserPath, canary, (port) =>
      createDialer({
        allowPrivateHosts,
        resolve,
        openSocket: openTo((address) => (address === PUBLIC ? port : canary.port)),
      }),
    );
    for (const path of ["fetch", "no-cors", "localhost", "other", "number", "name", "redirected", "xhr", "form"]) {
      expect([...seen], path).toContain(path);
    }
    for (const path of ["beacon", "events", "iframe", "object", "script.js", "module.js", "worker", "a.css", "b.css"]) {
      expect([...seen], path).toContain(path);
    }
    expect(seen.size).toBeGreaterThanOrEqual(20);
  }, 90_000);

  it("speak no UDP: WebRTC finds nobody", async () => {
    const udp = createSocket("udp4");
    onTestFinished(() => void udp.close());
    await new Promise<void>((done) => udp.bind(0, "127.0.0.1", done));
    let packets = 0;
    udp.on("message", () => (packets += 1));
    const { port } = udp.address();
    const renderer = createRenderer({
      dialer: closeWithTest(createDialer({ resolve })),
      browserPath,
      sandbox: canSandbox,
      userAgent: "QuarryBot/test",
      limits: { settleMs: 2_000 },
    });
    onTestFinished(() => renderer.close());
    const script = `const frame = document.createElement("iframe"); document.body.append(frame);
      for (const C of [window.RTCPeerConnection, frame.contentWindow.RTCPeerConnection]) try {
        const c = new C({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
        c.createDataChannel("x"); c.createOffer().then((offer) => c.setLocalDescription(offer));
      } catch {}
      setTimeout(() => { document.title = "tried"; }, 1000);`;
    const bytes = Buffer.from(`<body><script>${script}</script></body>`);
    const outcome = await renderer.render({ url: `${site}/`, bytes, headers: {} }, new AbortController().signal);
    expect(outcome.kind).toBe("rendered");
    expect(packets).toBe(0);
  }, 60_000);
});
