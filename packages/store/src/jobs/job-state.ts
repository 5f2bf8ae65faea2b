/**
 * Where a job stands.
 *
 * - `scheduled`: waits for its time, either from the start or between two tries. Becomes `queued` when due.
 * - `queued`: due; the next worker with a free hand takes it, higher priority first.
 * - `blocked`: due, but as many jobs of its key run as the key allows. Becomes `queued` when one of them ends.
 * - `running`: leased to one worker, under a token. When the lease runs out without a heartbeat, the job is
 *   `queued` again, and the token no longer completes it. Asked to cancel, it stays `running`
 *   (`cancelRequested`) until its worker has let go; it can no longer complete.
 * - `completed`: its effect and this state were committed together.
 * - `dead`: its last try failed, or failed for good. Keeps the error; can be queued again by hand.
 * - `canceled`: someone called it off before it completed.
 */
export type JobState = "scheduled" | "queued" | "blocked" | "running" | "completed" | "dead" | "canceled";

/** Every state, waiting ones first. */
export const JOB_STATES: readonly JobState[] = [
  "scheduled",
  "queued",
  "blocked",
  "running",
  "completed",
  "dead",
  "canceled",
];

/** What moves of a job depend on. */
export interface JobLifecycle {
  readonly state: JobState;
  /** Tries begun, the running one included. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly cancelRequested: boolean;
}

/** What can happen to a job. */
export type JobEvent =
  | "came-due"
  | "key-full"
  | "key-freed"
  | "claimed"
  | "completed"
  | "failed-retryably"
  | "failed-for-good"
  | "lease-expired"
  | "handed-back"
  | "cancel-requested"
  | "requeued";

/**
 * The job after `event`; undefined when the event cannot happen to it. The
 * statements of this folder make these moves in SQL, for many rows at once; a
 * property test holds them to this function.
 */
export function moveJob(job: JobLifecycle, event: JobEvent): JobLifecycle | undefined {
  switch (job.state) {
    case "scheduled":
      if (event === "came-due") return { ...job, state: "queued" };
      return event === "cancel-requested" ? { ...job, state: "canceled" } : undefined;
    case "queued":
      if (event === "claimed") return { ...job, state: "running", attempts: job.attempts + 1 };
      if (event === "key-full") return { ...job, state: "blocked" };
      return event === "cancel-requested" ? { ...job, state: "canceled" } : undefined;
    case "blocked":
      if (event === "key-freed") return { ...job, state: "queued" };
      return event === "cancel-requested" ? { ...job, state: "canceled" } : undefined;
    case "running":
      return moveRunningJob(job, event);
    case "dead":
      return event === "requeued" ? { ...job, state: "queued", attempts: 0 } : undefined;
    case "completed":
    case "canceled":
      return undefined;
  }
}

/** Whether nothing more will happen to the job by itself. */
export function isFinished(state: JobState): boolean {
  return state === "completed" || state === "dead" || state === "canceled";
}

function moveRunningJob(job: JobLifecycle, event: JobEvent): JobLifecycle | undefined {
  const hasTriesLeft = job.attempts < job.maxAttempts;
  switch (event) {
    case "completed":
      return job.cancelRequested ? undefined : { ...job, state: "completed" };
    case "failed-retryably":
      if (job.cancelRequested) return { ...job, state: "canceled" };
      return { ...job, state: hasTriesLeft ? "scheduled" : "dead" };
    case "failed-for-good":
      return { ...job, state: job.cancelRequested ? "canceled" : "dead" };
    case "lease-expired":
      if (job.cancelRequested) return { ...job, state: "canceled" };
      return { ...job, state: hasTriesLeft ? "queued" : "dead" };
    case "handed-back":
      if (job.cancelRequested) return { ...job, state: "canceled" };
      return { ...job, state: "queued", attempts: job.attempts - 1 };
    case "cancel-requested":
      return { ...job, cancelRequested: true };
    case "came-due":
    case "key-full":
    case "key-freed":
    case "claimed":
    case "requeued":
      return undefined;
  }
}
