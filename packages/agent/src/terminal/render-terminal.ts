import type { Terminal } from "@xterm/headless";

/** How wide a terminal is; longer lines are put together again. */
export const TERMINAL_COLUMNS = 200;
export const TERMINAL_ROWS = 50;
/** Enough lines for all the output that is kept to be shown. */
const MAX_LINES = 20_000;

/** What a person would see after these bytes went through a terminal: no escape sequences, no lines that were overwritten. */
export async function renderTerminal(bytes: Buffer): Promise<string> {
  // Loaded at the first command: a server that runs none does not pay for it.
  const { default: xterm } = await import("@xterm/headless");
  const terminal = new xterm.Terminal({
    cols: TERMINAL_COLUMNS,
    rows: TERMINAL_ROWS,
    scrollback: MAX_LINES,
    allowProposedApi: true,
  });
  try {
    await new Promise<void>((done) => terminal.write(bytes, done));
    return textOf(terminal);
  } finally {
    terminal.dispose();
  }
}

function textOf(terminal: Terminal): string {
  const { active, normal } = terminal.buffer;
  // What a full-screen program left on the screen it made for itself is not output.
  const buffer = active.type === "alternate" ? normal : active;
  let text = "";
  for (let row = 0; row < buffer.length; row += 1) {
    const line = buffer.getLine(row);
    if (line === undefined) break;
    if (row > 0 && !line.isWrapped) text += "\n";
    text += line.translateToString(buffer.getLine(row + 1)?.isWrapped !== true);
  }
  return text.trimEnd();
}
