import { ChildProcess } from "node:child_process";

/**
 * From now on `kill` of a process that never began signals nobody. Where no descriptor was left for it, Node has such a
 * process without a number and passes on whatever stands in its place. Most often that is 0, which means the whole group:
 * a time limit of a search would end this server, and the shell that it was started from. The result undoes it.
 */
export function killOnlyChildren(): () => void {
  const { prototype } = ChildProcess;
  const kill = Object.getOwnPropertyDescriptor(prototype, "kill");
  if (kill === undefined) throw new Error("this version of Node has no ChildProcess.prototype.kill");
  const original = kill.value as ChildProcess["kill"];
  prototype.kill = function (this: ChildProcess, signal) {
    return this.pid === undefined ? false : original.call(this, signal);
  };
  return () => Object.defineProperty(prototype, "kill", kill);
}
