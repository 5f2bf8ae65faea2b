import { serveMiniWeb } from "@quarry/crawl/testing";
import { distinctPages } from "./distinct-pages.ts";

/** The web that the crawl benchmark reads, in a process of its own: says its origin, then serves until it is killed. */
const web = await serveMiniWeb(distinctPages(Number(process.argv[2] ?? "1000")));
process.stdout.write(`${web.origin}\n`);
