import { requirements } from "../requirement.ts";

/** What the jobs part promises. */
export const jobsRequirements = requirements({
  "issue 2 point 6": {
    "jobs:enqueue:in-caller-transaction": "a job enqueued in a transaction exists exactly when the transaction commits",
    "jobs:enqueue:unique-key": "a job with a key that is already waiting is not queued twice",
    "jobs:lease:one-worker": "a leased job is given to one worker only",
    "jobs:lease:heartbeat-extends": "a heartbeat keeps the lease of a long job",
    "jobs:lease:expired-is-retaken": "a job whose lease ran out is given to another worker",
    "jobs:lease:token-checked": "a worker that lost its lease cannot complete the job",
    "jobs:retry:back-off": "a failed job waits longer before each try",
    "jobs:retry:dead-letter": "a job that failed its last try is kept as dead with its error",
    "jobs:retry:not-retryable": "an error that says it cannot be retried goes to the dead letters at once",
    "jobs:retry:requeue-dead": "a dead job can be queued again",
    "jobs:schedule:delayed": "a delayed job runs not before its time",
    "jobs:schedule:cron": "a cron job runs once per slot",
    "jobs:schedule:cron-once-among-many": "a cron slot runs once however many workers there are",
    "jobs:concurrency:per-key": "at most N jobs of one key run at once",
    "jobs:concurrency:other-keys-go-on": "a key at its limit does not hold up other keys",
    "jobs:priority:higher-first": "a job of higher priority is claimed first",
    "jobs:cancel:waiting": "a cancelled waiting job never starts",
    "jobs:cancel:running": "cancelling a running job aborts its signal",
    "jobs:progress:visible": "a job's progress can be read while it runs",
    "jobs:wake:without-polling": "a new job wakes an idle worker without busy polling",
    "jobs:wake:after-lost-listener": "a lost notification connection is made again and no job is forgotten",
    "jobs:speed:claim-and-complete": "claiming and completing a job takes at most 2.5 ms",
    "jobs:stop:drains-or-hands-back": "a stopping runner finishes or hands back what it holds",
    "jobs:proof:kills-of-worker":
      "200 kills of a worker during 5,000 jobs leave every effect exactly once and none stuck",
    "jobs:proof:kills-of-database": "the same holds when the database child is killed",
    "jobs:decision:recorded": "a decision record gives the figures for our own queue",
  },
  "features 3": {
    "jobs:fair:per-team": "one team's thousand jobs do not hold up another team's one",
  },
});
