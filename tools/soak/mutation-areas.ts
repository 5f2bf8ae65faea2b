/** Files whose mutants the tests must notice, and the tests that are asked, the quickest first. */
export interface MutatedFile {
  readonly file: string;
  readonly tests: readonly string[];
}

const GUARD = "packages/net/src/guard";
const HTTP = "packages/doors/src/http";
const JOBS = "packages/store/src/jobs";
const IDENTITY = "packages/store/src/identity";
const AGENT = "packages/agent/src";
const guard = [`${GUARD}/guard.test.ts`, `${GUARD}/special-address.test.ts`];
const approvals = ["packages/store/src/tools/tools.test.ts", `${AGENT}/tool-runtime.test.ts`];

/** Where a mistake costs most: the job queue, the guard of outgoing requests, who may come in, what may run, and paging. */
export const MUTATION_AREAS: Readonly<Record<string, readonly MutatedFile[]>> = {
  auth: [
    { file: `${HTTP}/authenticate.ts`, tests: [`${HTTP}/authenticate-caller.test.ts`] },
    { file: `${HTTP}/credential-cache.ts`, tests: [`${HTTP}/credential-cache.test.ts`] },
    { file: `${HTTP}/guard-origin.ts`, tests: [`${HTTP}/guard-origin.test.ts`] },
    { file: `${HTTP}/session-cookie.ts`, tests: [`${HTTP}/session-cookie.test.ts`] },
    {
      file: `${IDENTITY}/find-credential.ts`,
      tests: ["find-credential", "sessions", "manage-keys"].map((name) => `${IDENTITY}/${name}.test.ts`),
    },
    {
      file: `${IDENTITY}/secret.ts`,
      tests: [`${IDENTITY}/secret.test.ts`],
    },
  ],
  ssrf: ["allow-list", "blocked-port", "guard", "special-address", "special-name"].map((name) => ({
    file: `${GUARD}/${name}.ts`,
    tests: guard,
  })),
  cursors: [
    { file: "packages/base/src/cursor.ts", tests: ["packages/base/src/cursor.test.ts"] },
    {
      file: "packages/doors/src/mcp/budget/read-cursor.ts",
      tests: ["packages/doors/src/mcp/budget/read-cursor.test.ts"],
    },
  ],
  approvals: [
    { file: `${AGENT}/decide.ts`, tests: [`${AGENT}/decide.test.ts`] },
    { file: `${AGENT}/policy-rule.ts`, tests: [`${AGENT}/policy-rule.test.ts`] },
    { file: `${AGENT}/policy-files.ts`, tests: [`${AGENT}/decide.test.ts`] },
    { file: `${AGENT}/hash-args.ts`, tests: [`${AGENT}/hash-args.test.ts`] },
    { file: "packages/store/src/tools/approval-state.ts", tests: ["packages/store/src/tools/approval-state.test.ts"] },
    { file: "packages/store/src/tools/approvals.ts", tests: approvals },
    { file: `${AGENT}/answer-approval.ts`, tests: [`${AGENT}/tool-runtime.test.ts`] },
    { file: `${AGENT}/await-grant.ts`, tests: [`${AGENT}/tool-runtime.test.ts`] },
  ],
  queue: [
    { file: `${JOBS}/job-state.ts`, tests: [`${JOBS}/job-state.test.ts`] },
    { file: `${JOBS}/retry-delay.ts`, tests: [`${JOBS}/retry-delay.test.ts`] },
    { file: `${JOBS}/next-slot.ts`, tests: [`${JOBS}/next-slot.test.ts`] },
    { file: `${JOBS}/claim-jobs.ts`, tests: [`${JOBS}/claim-jobs.test.ts`] },
    { file: `${JOBS}/settle-job.ts`, tests: [`${JOBS}/settle-job.test.ts`, `${JOBS}/claim-jobs.test.ts`] },
    { file: `${JOBS}/enqueue-job.ts`, tests: [`${JOBS}/enqueue-job.test.ts`, `${JOBS}/claim-jobs.test.ts`] },
    { file: `${JOBS}/cancel-jobs.ts`, tests: [`${JOBS}/find-jobs.test.ts`, `${JOBS}/settle-job.test.ts`] },
    { file: `${JOBS}/job-schedules.ts`, tests: [`${JOBS}/job-schedules.test.ts`] },
    { file: `${JOBS}/extend-leases.ts`, tests: [`${JOBS}/claim-jobs.test.ts`, `${JOBS}/job-runner.test.ts`] },
    { file: `${JOBS}/run-job.ts`, tests: [`${JOBS}/job-runner.test.ts`] },
    { file: `${JOBS}/job-runner.ts`, tests: [`${JOBS}/job-runner.test.ts`] },
  ],
};

/** Mutants that no test can tell from the original, and why; by file and change. */
export const EQUIVALENT_MUTANTS: Readonly<Record<string, string>> = {
  'packages/base/src/cursor.ts: "utf8" → ""': "Node reads and writes UTF-8 where no encoding is named",
  'packages/doors/src/mcp/budget/read-cursor.ts: "" → "mutant"': "a cursor that was read has both parts",
  'packages/doors/src/mcp/budget/read-cursor.ts: "0" → ""': "a cursor that was read has both parts",
  'packages/store/src/identity/secret.ts: "utf8" → ""': "Node reads UTF-8 where no encoding is named",
  "packages/doors/src/http/session-cookie.ts: 2 → (2 + 1)": "no more than two parts are looked at",
  "packages/store/src/identity/find-credential.ts: row.previous_secret_hash === null || !timingSafeEqual(row.previous_secret_hash, hash) → false":
    "the query finds a row by one of its two hashes alone",
  "packages/store/src/identity/find-credential.ts: < → <=": "of two equal dates either is the earlier",
  "packages/store/src/jobs/next-slot.ts: < → <=": "of two equal dates either is the first",
  "packages/agent/src/hash-args.ts: > → <=": "no two names are equal, and the sort asks no more than which are less",
  "packages/agent/src/hash-args.ts: > → >=": "no two names are equal",
  "packages/agent/src/decide.ts: rule === undefined → false": "the defaults are about every call",
  'packages/agent/src/await-grant.ts: throw new Error("a call was there and is not"); → ;':
    "no call is ever deleted there",
};
