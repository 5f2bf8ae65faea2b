import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { describeDenial } from "./denials.ts";
import { DEFAULT_POLICY } from "./sandbox-policy.ts";

describe("a denial by the sandbox", () => {
  verifies(
    "tools:run-terminal-command-v2:sandbox:denial-recognised",
    "is said to be one, with what to do about it",
    () => {
      const file = "touch: cannot touch '/etc/x': Read-only file system";
      const network = "curl: (6) Could not resolve host: example.com";
      expect(describeDenial(DEFAULT_POLICY, 1, file)).toMatch(
        /^The sandbox blocked this: only the workspace .* asks the person\.$/,
      );
      expect(describeDenial(DEFAULT_POLICY, 6, network)).toMatch(/has no network\. .*networkAccess true/);
      expect(describeDenial({ ...DEFAULT_POLICY, type: "workspace-readonly" }, 1, file)).toContain("in this mode");
      for (const [policy, code, text] of [
        [DEFAULT_POLICY, 0, file],
        [DEFAULT_POLICY, 2, file],
        [DEFAULT_POLICY, 127, file],
        [DEFAULT_POLICY, 1, "assertion failed"],
        [{ ...DEFAULT_POLICY, type: "none" }, 1, file],
        [{ ...DEFAULT_POLICY, hasNetwork: true }, 6, network],
      ] as const) {
        expect(describeDenial(policy, code, text)).toBeUndefined();
      }
    },
  );
});
