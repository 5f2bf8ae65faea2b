import { requirements } from "../requirement.ts";

/** What the exports part promises. */
export const exportsRequirements = requirements({
  "exa-api 4.10": {
    "exports:create:export": "POST exports makes an export of the webset",
    "exports:get:states": "an export goes pending, processing, then completed or failed",
    "exports:get:shape": "an export carries downloadUrl, expiresAt and count",
  },
  "issue 8": {
    "exports:format:csv": "CSV has one row per item with its criteria and enrichments",
    "exports:format:json": "JSON is exported",
    "exports:format:jsonl": "JSONL is exported",
    "exports:format:xlsx": "XLSX is exported and opens",
    "exports:format:parquet": "Parquet is exported and reads back",
    "exports:format:unknown": "an unknown format is a 400",
    "exports:content:evidence": "every cell comes with its evidence URL",
    "exports:content:formula-neutralised": "formulas are neutralised in CSV and XLSX",
    "exports:content:consistent-cut": "an export while the webset runs is a consistent cut",
    "exports:download:signed": "the download address is signed and expires",
    "exports:download:streamed": "exports are streamed, with memory bounded",
  },
});
