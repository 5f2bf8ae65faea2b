import { expect, it } from "vitest";
import { findBrowser } from "./find-browser.ts";

const places = { platform: "linux", searchPath: ["/opt/bin"] } as const;

it("believes the operator, and looks nowhere else then", () => {
  const exists = (file: string): boolean => file === "/my/chrome" || file === "/usr/bin/chromium";
  expect(findBrowser({ ...places, browserPath: "/my/chrome", exists })).toBe("/my/chrome");
  expect(findBrowser({ ...places, browserPath: "/not/there", exists })).toBeUndefined();
});

it("finds one at the usual places, then on the path", () => {
  expect(findBrowser({ ...places, exists: (file) => file === "/usr/bin/google-chrome" })).toBe(
    "/usr/bin/google-chrome",
  );
  expect(findBrowser({ ...places, exists: (file) => file.endsWith("bin/microsoft-edge") })).toBe(
    "/opt/bin/microsoft-edge",
  );
  expect(findBrowser({ ...places, exists: () => false })).toBeUndefined();
});
