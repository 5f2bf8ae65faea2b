import { pino, type DestinationStream, type Logger } from "pino";
import pretty from "pino-pretty";

/** Fields that never reach a log, wherever a record carries them. */
const SECRET_FIELDS = ["authorization", "cookie", "x-api-key", "apiKey", "key", "token", "secret", "password"];

/**
 * The server's log: JSON lines, or readable ones on a terminal. Secrets in known
 * fields are blotted out. Goes to stderr, so that stdout holds only what a person asked for.
 */
export function createLogger(options: {
  readonly level: string;
  readonly isTerminal: boolean;
  readonly destination?: DestinationStream;
}): Logger {
  const destination = options.destination ?? openLogDestination(STDERR);
  const settings = {
    level: options.level,
    base: null,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [quote(field), `*${quote(field)}`, `*.*${quote(field)}`]),
      censor: "[hidden]",
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!options.isTerminal) return pino(settings, destination);
  return pino(
    settings,
    pretty({ destination, colorize: true, translateTime: "HH:MM:ss", ignore: "pid,hostname", singleLine: true }),
  );
}

const STDERR = 2;
/** Lines that wait for a disk that refuses them; newer ones are dropped. */
const MAX_WAITING_CHARACTERS = 1_000_000;

/**
 * Writes a log to a descriptor, at once. Where that is a file on a disk that is full, no call of the logger throws, since
 * what is logged is most often a failure that somebody has to be told of: lines wait, and come when there is room again.
 */
export function openLogDestination(descriptor: number): DestinationStream {
  const destination = pino.destination({ dest: descriptor, sync: true, maxLength: MAX_WAITING_CHARACTERS });
  destination.on("error", () => undefined); // there is no other place to say it
  return destination;
}

function quote(field: string): string {
  return `["${field}"]`;
}
