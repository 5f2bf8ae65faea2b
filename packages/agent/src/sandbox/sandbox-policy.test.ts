import { expect, it } from "vitest";
import { effectivePolicy, OPEN_CEILING, toPolicyJson, unkeptNetwork } from "./sandbox-policy.ts";

const LIMITS = { ceiling: OPEN_CEILING, mode: "agent", cwd: "/w" };
const LISTED = { networkAccess: true, networkPolicy: { allow: ["registry.example"] } };

it("gives no network for a list of hosts, which no sandbox can keep, and says so", () => {
  const policy = effectivePolicy(LISTED, LIMITS);
  expect(toPolicyJson(policy)).toMatchObject({
    networkAccess: false,
    networkPolicy: { defaultAction: "DEFAULT_ACTION_DENY" },
  });
  expect(unkeptNetwork(LISTED, policy)).toMatch(/has no network at all/);
});

it("says that nothing is kept of it without a sandbox, and nothing where there is no list", () => {
  const unconfined = effectivePolicy({ ...LISTED, type: "TYPE_INSECURE_NONE" }, LIMITS);
  expect(unkeptNetwork(LISTED, unconfined)).toMatch(/it reaches all/);
  const open = effectivePolicy({ networkAccess: true }, LIMITS);
  expect([toPolicyJson(open)["networkPolicy"], unkeptNetwork({ networkAccess: true }, open)]).toEqual([
    undefined,
    undefined,
  ]);
});
