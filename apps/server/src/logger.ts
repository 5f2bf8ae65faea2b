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
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true });
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

function quote(field: string): string {
  return `["${field}"]`;
}
