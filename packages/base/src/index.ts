export { sleep } from "./abort.ts";
export { AppError } from "./app-error.ts";
export type { AppErrorCode, AppErrorOptions } from "./app-error.ts";
export { systemClock } from "./clock.ts";
export type { Clock } from "./clock.ts";
export { decodeCursor, encodeCursor, toPage } from "./cursor.ts";
export type { Page } from "./cursor.ts";
export { makeId, makeRequestId } from "./id.ts";
