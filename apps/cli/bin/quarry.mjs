#!/usr/bin/env node
// Runs the CLI from a clone: installs and bundles what is missing, then hands over.
import { ensureInstalled } from "../../../tools/ensure-installed.mjs";

await ensureInstalled();
await import("../../../dist/cli.js");
