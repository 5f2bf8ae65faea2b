// Runs npm scripts side by side, since each keeps one core busy: `node tools/run-together.mjs SCRIPT…`.
// Prints what each says when it has ended, and ends with the code of the first that failed.
import { spawn } from "node:child_process";

const scripts = process.argv.slice(2);
if (scripts.length === 0) {
  process.stderr.write("usage: node tools/run-together.mjs SCRIPT…\n");
  process.exit(2);
}

/** What a script said, and its exit code. */
function run(script) {
  return new Promise((resolve, reject) => {
    const said = [];
    const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (part) => said.push(part));
    child.stderr.on("data", (part) => said.push(part));
    child.on("error", reject);
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code ?? 1);
    });
  });
}

const codes = await Promise.all(scripts.map(run));
process.exit(codes.find((code) => code !== 0) ?? 0);
