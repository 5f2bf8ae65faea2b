// The client of the tool-overhead bench, in a process of its own as an agent's is: what a
// server does after its answer must not delay what the client times.
// Arguments: the server, the bare server, the one that only keeps, the session, how many calls, how many before them.
import { createClient, type Client } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ClientSideToolV2, VmDaemonService } from "@quarry/contract";

const [url = "", bareUrl = "", keepingUrl = "", composerId = ""] = process.argv.slice(2);
const [calls = 0, warmUp = 0] = process.argv.slice(6).map(Number);

function clientOf(baseUrl: string): Client<typeof VmDaemonService> {
  return createClient(VmDaemonService, createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true }));
}

async function time(client: Client<typeof VmDaemonService>, call: number): Promise<number> {
  const value = { relativeWorkspacePath: "note" };
  const params = { case: "editFileV2Params" as const, value };
  const began = performance.now();
  const { toolResult } = await client.callClientSideV2Tool({
    composerId,
    toolCall: { tool: ClientSideToolV2.EDIT_FILE_V2, toolCallId: `c${call}`, params },
  });
  const tookMs = performance.now() - began;
  if (toolResult?.result.case !== "editFileV2Result") throw new Error(`call ${call} did not succeed`);
  return tookMs;
}

const client = clientOf(url);
const bareClient = clientOf(bareUrl);
const keepingClient = clientOf(keepingUrl);
const times: { call: number[]; bare: number[]; kept: number[] } = { call: [], bare: [], kept: [] };
for (let call = 0; call < warmUp + calls; call += 1) {
  const ran = await time(client, call);
  const bare = await time(bareClient, call);
  const kept = await time(keepingClient, call);
  if (call < warmUp) continue;
  times.call.push(ran);
  times.bare.push(bare);
  times.kept.push(kept);
}
process.stdout.write(JSON.stringify(times));
