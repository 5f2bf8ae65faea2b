/** What the console says around its screens: ui. */
export const ui = {
  "ui.closeMessage": "Close message",
  "ui.ms": "{number} ms",
  "ui.msOfMs": "{ms} ms",
  "ui.justNow": "just now",
  "ui.ago": "{largest} ago",
  "ui.theFiguresAreInThe": "{title}; the figures are in the table below",
  "ui.quarry": "{title} · Quarry",
  "ui.tryAgain": "Try again",
  "ui.loading": "Loading",
  "ui.close": "Close",
  "ui.source": "Source {number}",
  "ui.copy": "Copy",
  "ui.theBrowserRefusedToCopy": "The browser refused to copy",
  "ui.selectTheTextAndCopy": "Select the text and copy it by hand.",
  "ui.copied": "Copied",
} as const;
