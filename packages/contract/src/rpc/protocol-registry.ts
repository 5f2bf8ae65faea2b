import { createRegistry, type DescFile, type DescMessage, type Registry } from "@bufbuild/protobuf";
import { file_agent_v1_exec_service } from "./gen/agent/v1/exec_service_pb.ts";
import { file_aiserver_v1_vm_daemon } from "./gen/aiserver/v1/vm_daemon_pb.ts";
import { file_quarry_v1_approval_service } from "./gen/quarry/v1/approval_service_pb.ts";
import { file_quarry_v1_tool_service } from "./gen/quarry/v1/tool_service_pb.ts";

/** Every message of the tool protocol by its full name, such as `agent.v1.ExaSearchArgs`. */
export const protocolRegistry: Registry = createRegistry(
  ...withImports([
    file_agent_v1_exec_service,
    file_aiserver_v1_vm_daemon,
    file_quarry_v1_approval_service,
    file_quarry_v1_tool_service,
  ]),
);

/** The message of that name; throws for a name the protocol does not have, which is a mistake in our code. */
export function protocolMessage(typeName: string): DescMessage {
  const message = protocolRegistry.getMessage(typeName);
  if (message === undefined) throw new Error(`the tool protocol has no message ${typeName}`);
  return message;
}

/** The files and all they import: a registry of files knows their own messages alone. */
function withImports(files: readonly DescFile[], found = new Set<DescFile>()): ReadonlySet<DescFile> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    withImports(file.dependencies, found);
  }
  return found;
}
