/** What a disk, or the system's table of open files, refuses; each has its sentence for people. */
export type StorageFault = "full" | "failing" | "read-only" | "too-many-files" | "out-of-memory";

/** For people: what is wrong and what mends it. No path: who asked may not be who runs the server. */
export const STORAGE_FAULT_SENTENCES: Readonly<Record<StorageFault, string>> = {
  full: "the server's disk is full, and nothing more can be written; once there is room again, send this again",
  failing: "the server's disk fails to read or write (I/O error); once it is well again, send this again",
  "read-only": "the server's storage is read-only, and nothing can be written; once it is writable, send this again",
  "too-many-files":
    "the server has too many files and connections open at once; send this again, and raise its limit (ulimit -n)",
  "out-of-memory": "the server is short of memory; send this again later",
};

const BY_CODE: ReadonlyMap<unknown, StorageFault> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EIO", "failing"],
  ["EROFS", "read-only"],
  ["EMFILE", "too-many-files"],
  ["ENFILE", "too-many-files"],
]);

/** What of that `thrown`, an error of the system, tells; undefined for anything else. */
export function storageFaultOf(thrown: unknown): StorageFault | undefined {
  return thrown instanceof Error && "code" in thrown ? BY_CODE.get(thrown.code) : undefined;
}
