import { createContextValues } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { ApprovalService, ExecService, ToolService, VmDaemonService, type Scope } from "@quarry/contract";
import type { FastifyInstance } from "fastify";
import { approvalService } from "./approval-service.ts";
import { execService, vmDaemonService } from "./foreign-services.ts";
import { CALLER, type RpcDeps } from "./rpc-deps.ts";
import { toolService } from "./tool-service.ts";

/** The largest message a client may send. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * Puts the RPC services into the app, for Connect, gRPC and gRPC-Web on the app's
 * own port. Keys, scopes, origins and limits are the app's: what it checks for
 * every request holds here too.
 */
export function mountRpc(app: FastifyInstance, deps: RpcDeps): void {
  void app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, access: accessOf(route.url), isLive: STREAMS.has(route.url) };
    });
    await scope.register(fastifyConnectPlugin, {
      routes: (router) => {
        router.service(ToolService, toolService(deps));
        router.service(ApprovalService, approvalService(deps));
        router.service(VmDaemonService, vmDaemonService(deps));
        router.service(ExecService, execService(deps));
      },
      contextValues: (request) => createContextValues().set(CALLER, request.state?.authenticated?.caller),
      readMaxBytes: MAX_MESSAGE_BYTES,
      shutdownSignal: deps.stopping,
    });
  });
}

const STREAMS: ReadonlySet<string> = new Set(
  [ToolService, ApprovalService, VmDaemonService, ExecService].flatMap(({ typeName, methods }) =>
    methods.filter(({ methodKind }) => methodKind !== "unary").map(({ name }) => `/${typeName}/${name}`),
  ),
);

/** Answering is a right of its own: an agent's key cannot approve its own calls. */
function accessOf(path: string): Scope {
  return path.startsWith(`/${ApprovalService.typeName}/`) ? "approvals" : "tools";
}
