export { CELLS_PER_ITEM, insertLargeWebset, LARGE_SEARCH, LARGE_WEBSET } from "./runs/testing-scale.ts";
export { runDueJobs } from "./testing/run-jobs.ts";
