import type { Finding } from "./check.ts";

const OLDEST = [20, 19] as const;

/** Whether this Node is new enough for the server. */
export function checkNode(nodeVersion: string): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isEnough) return { check: "node", status: "ok", detail: `Node ${nodeVersion}` };
  return {
    check: "node",
    status: "fail",
    detail: `Node ${nodeVersion} is too old`,
    fix: `install Node ${OLDEST.join(".")} or newer`,
  };
}
