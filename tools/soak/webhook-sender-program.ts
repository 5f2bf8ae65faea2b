// A sender of the webhook soak, made to be killed: `node webhook-sender-program.mjs '{"address":…,"leaseMs":…}'`.
import { systemClock } from "@quarry/base";
import { postByDialer, RECEIVER_CONNECTIONS, startWebhookSender } from "@quarry/events";
import { createDialer } from "@quarry/net";
import { openDatabase, type DatabaseAddress } from "@quarry/store";

interface SenderSettings {
  readonly address: DatabaseAddress;
  readonly leaseMs: number;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as SenderSettings;
const database = await openDatabase({ address: settings.address, connectPatienceMs: 20_000, maxConnections: 6 });
const dialer = createDialer({ allowPrivateHosts: ["127.0.0.1"], limits: RECEIVER_CONNECTIONS });
await startWebhookSender({
  database,
  clock: systemClock,
  random: Math.random,
  post: postByDialer(dialer.fetch),
  leaseMs: settings.leaseMs,
  onFailure: (error) => void process.stderr.write(`${error.message}\n`),
});
process.stdout.write("sends\n");
// The pipe on standard input ends with whoever started us, and we with it.
process.stdin.on("end", () => process.exit(0)).resume();
