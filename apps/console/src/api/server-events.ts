/** One frame of a server-sent stream. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** Reads frames out of text that comes in pieces, as the HTML standard says; comments and empty frames are passed over. */
export function createEventReader(): (piece: string) => readonly ServerEvent[] {
  let rest = "";
  return (piece) => {
    const frames = (rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    rest = frames.pop() ?? "";
    return frames.map(readFrame).filter((event) => event !== undefined);
  };
}

/** The frames of a reply, as they come. */
export async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const read = createEventReader();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* read(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it is over either way
  }
}

function readFrame(frame: string): ServerEvent | undefined {
  let id: string | undefined;
  let type = "message";
  const data: string[] = [];
  for (const line of frame.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "id") id = value;
    else if (field === "event") type = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { id, type, data: data.join("\n") };
}
