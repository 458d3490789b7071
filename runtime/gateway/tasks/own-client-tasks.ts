import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { missingCapability } from "../../protocol/peer/stateless-request.ts";
import type { ServerTaskProtocol } from "../../server/tasks/task-protocol.ts";
import { readTaskParams } from "../../tasks/task.ts";
import { toConversionRejection, toResult } from "../convert-messages.ts";
import type { ToolList } from "../upstream/tool-list.ts";
import { noClientTasks, type BridgedTask, type ClientTasks } from "./client-tasks.ts";
import type { UpstreamTasks } from "./upstream-tasks.ts";

/** Returns tasks of the gateway at the request of clients, as in the core. */
export function createCoreClientTasks(protocol: ServerTaskProtocol, upstream: UpstreamTasks): ClientTasks {
  const begin = createBegin(protocol);
  return {
    ...noClientTasks,
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    handlers: protocol.handlers,
    isOffered: (session) => isOpen(protocol.gate, session),
    readRequested(params, { session }) {
      const requested = isOpen(protocol.gate, session) ? readTaskParams(params) : undefined;
      return requested && { ttl: requested.ttl, begin };
    },
    showTools: (result) => upstream.showTools(result),
  };
}

/**
 * Returns tasks of the gateway for clients of the extension. It is left to the server which calls become tasks: all calls of tools with task support.
 */
export function createExtensionClientTasks(
  protocol: ServerTaskProtocol & Pick<ClientTasks, "listen">,
  tools: ToolList,
): ClientTasks {
  const { gate, handlers, listen } = protocol;
  const begin = createBegin(protocol);
  return {
    ...noClientTasks,
    handlers,
    listen,
    isOffered: (session) => isOpen(gate, session),
    readRequested(params, { session, revision }) {
      const support = tools.supportOf(params);
      const isOffered = isOpen(gate, session);
      if (support === "required" && !isOffered) throw missingCapability(revision, gate);
      return isOffered && (support === "required" || support === "optional") ? { ttl: undefined, begin } : undefined;
    },
  };
}

function createBegin(protocol: ServerTaskProtocol): (call: CallContext, task: BridgedTask) => Promise<object> {
  return (call, { row, run, ...rest }) => {
    const { revision } = call;
    const work = async (during: CallContext): Promise<unknown> => {
      try {
        return toResult(await run(during), row.handler, revision);
      } catch (error) {
        throw toConversionRejection(error, row.method, revision);
      }
    };
    return protocol.start(call, { row, ...rest, work });
  };
}
