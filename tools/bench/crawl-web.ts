import { generatedPages, serveMiniWeb } from "@quarry/crawl/testing";

/** The web that the crawl benchmark reads, in a process of its own: says its origin, then serves until it is killed. */
const pages = Number(process.argv[2] ?? "1000");
const web = await serveMiniWeb(generatedPages(pages));
process.stdout.write(`${web.origin}\n`);
