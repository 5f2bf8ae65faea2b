import { AppError } from "@quarry/base";
import { decodeText, needsRendering, parseMediaType, type Renderer } from "@quarry/crawl";
import type { RenderMode } from "@quarry/store";
import type { VisitOutcome } from "./visit-page.ts";

/** What showing pages needs from outside. */
export interface RenderDeps {
  readonly renderer: Renderer;
}

/**
 * Has a browser show a page that was fetched, where the crawl asks for it. The page is then what its scripts made of
 * it; one whose scripts lead elsewhere is a redirect, and as such subject to the crawl's scope; one that needs a browser
 * where there is none keeps its plain form, with a note. Rejects only when `signal` aborts.
 */
export async function renderVisit(
  { renderer }: RenderDeps,
  outcome: VisitOutcome,
  { mode, mayFollow }: { readonly mode: RenderMode; readonly mayFollow: (url: string) => boolean },
  signal: AbortSignal,
): Promise<VisitOutcome> {
  if (mode === "never" || outcome.kind !== "fetched" || outcome.page.format !== "html") return outcome;
  const { page, redirects } = outcome;
  if (mode === "auto" && !needsRendering(textOf(page.bytes, page.headers["content-type"]))) return outcome;
  const shown = await renderer.render({ url: page.url, bytes: page.bytes, headers: page.headers }, signal);
  switch (shown.kind) {
    case "rendered": {
      const headers = { ...page.headers, "content-type": "text/html; charset=utf-8" };
      // The server's validators speak of the plain page: that it has not changed says nothing of what its scripts load.
      const made = { ...page, bytes: shown.html, headers, charset: "utf-8", validators: {} };
      return { ...outcome, page: made, rendering: { kind: "rendered", wireBytes: shown.bytes } };
    }
    case "moved": {
      if (mayFollow(shown.to)) return { kind: "redirected", to: shown.to, redirects };
      const message = `the scripts of ${page.url} lead to ${shown.to}, which this crawl does not read`;
      return { kind: "refused", reason: "redirected-away", message, httpStatus: page.status, redirects };
    }
    case "no-browser":
      return { ...outcome, rendering: { kind: "no-browser", message: shown.message } };
    case "failed":
      return { kind: "failed", reason: "render-failed", error: AppError.from(shown.error), redirects };
  }
}

function textOf(bytes: Uint8Array, contentType: string | undefined): string {
  return decodeText(bytes, "markup", parseMediaType(contentType)?.charset).text;
}
