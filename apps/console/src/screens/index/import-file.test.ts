import { expect, it, onTestFinished, vi } from "vitest";
import { cutLines, importFiles, planImport, sumUp } from "./import-file.ts";

it.each([
  ["pages.NDJSON", { kind: "lines" }],
  ["pages.json", { kind: "json" }],
  ["CC-MAIN.warc.gz", { kind: "archive" }],
  ["a b#c.pdf", { kind: "page", url: "https://files.invalid/uploads/a%20b%23c.pdf" }],
])("sends %s its way", (name, plan) => {
  expect(planImport(name)).toEqual(plan);
});

it("cuts lines into lists that fit a request", () => {
  expect(cutLines("1\n\n2\n3\n", 2)).toEqual(["1\n2", "3"]);
  expect(cutLines("\n")).toEqual([]);
});

it("sums up what became of a file, with the first problems in words", () => {
  const errors = Array.from({ length: 7 }, (_, index) => ({ url: `u${index}`, status: "error" as const, error: "no" }));
  const replies = [
    { documents: [{ url: "a", status: "created" as const }], indexed: true },
    { documents: [{ url: "b", status: "stale" as const }, ...errors], indexed: false },
  ];
  expect(sumUp("f", replies)).toEqual({
    name: "f",
    saved: 1,
    unchanged: 1,
    isFindable: false,
    problems: ["u0: no", "u1: no", "u2: no", "u3: no", "u4: no", "and 2 more"],
  });
});

/** A server that indexes what waits at once, and what does not wait later. */
function serveImports(): { readonly asked: string[] } {
  const asked: string[] = [];
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", (path: string) => {
    const wait = new URL(path, "http://localhost").searchParams.get("wait");
    asked.push(`${path.split("?")[0]} ${wait}`);
    if (path.includes("refused")) return Promise.resolve(Response.json({ error: "no such kind" }, { status: 400 }));
    const indexed = wait === "true";
    const status = "created";
    return Promise.resolve(Response.json({ url: "u", status, indexed, documents: [{ url: "u", status }] }));
  });
  return { asked };
}

async function importAll(names: readonly string[], tellTime: () => number): Promise<readonly (readonly boolean[])[]> {
  vi.spyOn(performance, "now").mockImplementation(tellTime);
  onTestFinished(() => void vi.restoreAllMocks());
  const files = names.map((name) => new File(["{}"], name));
  const told: boolean[][] = [];
  for await (const outcomes of importFiles(files, new AbortController().signal)) {
    told.push(outcomes.map(({ isFindable }) => isFindable));
  }
  return told;
}

it("waits until searches find each file, also where the last one is refused", async () => {
  const { asked } = serveImports();
  expect(await importAll(["a.txt", "refused.pdf"], () => 0)).toEqual([[true], [true, true]]);
  expect(asked).toEqual(["/quarry/v1/documents/file true", "/quarry/v1/documents/file true"]);
});

it("waits for the last file alone once patience is spent, after which searches find those before it, too", async () => {
  const { asked } = serveImports();
  let minutes = 0;
  const told = await importAll(["a.txt", "b.ndjson", "refused.pdf", "c.json"], () => 60_000 * minutes++);
  expect(asked).toEqual([
    "/quarry/v1/documents/file false",
    "/quarry/v1/documents false",
    "/quarry/v1/documents/file false",
    "/quarry/v1/documents true",
  ]);
  expect(told).toEqual([[false], [false, false], [false, false, true], [true, true, true, true]]);
});
