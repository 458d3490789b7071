import type { RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isOpen, type Capabilities, type Session } from "../../protocol/session/session.ts";
import type { ReadExtensionFilter } from "../../server/feature.ts";
import type { ServedHandlers } from "../../server/methods/served-handlers.ts";
import type { RequestTaskOptions } from "../../tasks/task-options.ts";
import { missingCapability } from "../../protocol/peer/stateless-request.ts";
import type { ServerTaskProtocol } from "../../server/tasks/tool-tasks.ts";
import { readTaskParams } from "../../tasks/task.ts";
import { toConversionRejection, toResult } from "../convert-messages.ts";
import type { ToolList } from "../upstream/tool-list.ts";

/** Call of a tool which continues as a task of the gateway. This task represents one of the server. */
export interface BridgedTask {
  readonly row: RequestRow;
  readonly ttl: number | undefined;
  readonly taskOptions: RequestTaskOptions;
  run(during: CallContext): Promise<unknown>;
  /** Called instead of `run` if the task has ended before it was run. */
  spared?(): void;
}

/** Task of the gateway for a call of a tool. */
export interface RequestedTask {
  /** Requested lifetime in milliseconds, if any. */
  readonly ttl: number | undefined;
  /** Continues the call as a task, and returns the response that names the task. */
  begin(call: CallContext, task: BridgedTask): Promise<object>;
}

/**
 * Tasks for the clients of a gateway at one revision: tasks of the gateway, of the core or of the tasks extension, or those of the server, or
 * none.
 */
export interface ClientTasks {
  /** Capabilities of the gateway for its tasks, without extensions. */
  readonly capabilities: Capabilities;
  /** Handlers of requests about tasks of the gateway, by handler name. */
  readonly handlers: ServedHandlers;
  /** Reads task ids in subscription requests. */
  readonly listen: ReadExtensionFilter;
  /** True if a client may run calls of tools as tasks of the gateway. */
  isOffered(session: Session): boolean;
  /**
   * Returns the task for a call of a tool, if the call is to become one.
   *
   * @throws {RpcError} when the tool only runs as a task, and the client does not declare tasks
   */
  readRequested(params: unknown, call: CallContext): RequestedTask | undefined;
  /** Returns a list of tools with the task support to show to clients. */
  showTools(result: unknown): unknown;
  /**
   * Checks that a request is not about a task of another client.
   *
   * @throws {RpcError} when it is
   */
  check(row: RequestRow, params: unknown, call: CallContext): Promise<void> | void;
  /** Remembers the client whose task the result of a call names. */
  note(result: unknown, call: CallContext): Promise<void> | void;
}

/** Tasks of a client without any. */
export const noClientTasks: ClientTasks = {
  capabilities: {},
  handlers: {},
  listen: () => Promise.resolve({ filter: {}, topics: [] }),
  isOffered: () => false,
  readRequested: () => undefined,
  showTools: (result) => result,
  check() {
    // No request is about a task of the server.
  },
  note() {
    // No result names a task of the server.
  },
};

/** Returns tasks of the gateway at the request of clients, as in the core. */
export function createCoreClientTasks(
  protocol: ServerTaskProtocol,
  { showTools }: Pick<ClientTasks, "showTools">,
): ClientTasks {
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
    showTools,
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
