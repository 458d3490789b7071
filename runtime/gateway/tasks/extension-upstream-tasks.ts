import { isObject, type Revision } from "../../../generated/support.ts";
import { extensionTasks } from "../../client/tasks/extension-tasks.ts";
import { isMissingCapabilityError } from "../../jsonrpc/errors.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { gatewayPrincipal, type Principal } from "../principal.ts";
import { RelayedTask } from "./relayed-task.ts";
import type { SessionToolCall, UpstreamTasks } from "./upstream-tasks.ts";

/**
 * Tasks of the tasks extension. The server decides which calls become tasks. It may do so if the client requests a task, or if the tool only runs
 * as one.
 */
export const extensionUpstreamTasks: UpstreamTasks = {
  async callTool(given) {
    const { row, requested, call, upstream } = given;
    const run = (during: CallContext): Promise<unknown> => follow(given, during);
    if (requested) return requested.begin(call(), { row, ttl: requested.ttl, taskOptions: {}, run });
    try {
      return await given.complete();
    } catch (error) {
      if (!needsTasks(error, upstream.revision)) throw error;
      return run(call());
    }
  },
  showTools(result) {
    if (!isObject(result) || !Array.isArray(result.tools)) return result;
    const execution = { taskSupport: "optional" };
    return { ...result, tools: result.tools.filter(isObject).map((tool) => ({ ...tool, execution })) };
  },
};

/** Returns a principal with a declaration of tasks: the gateway follows tasks for its clients, even if they do not know tasks. */
export function declareTasks({ info, capabilities }: Principal, revision: Revision): Principal {
  const id = extensionOf(revision);
  const { extensions } = capabilities;
  if (id === undefined) return { info, capabilities };
  return { info, capabilities: { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [id]: {} } } };
}

/** Returns the principal of the gateway's own subscriptions to tasks. */
export function toTaskSubscriber(revisions: readonly Revision[]): Principal {
  const revision = revisions.find(({ lifecycle }) => lifecycle === "per-request");
  return revision ? declareTasks(gatewayPrincipal, revision) : gatewayPrincipal;
}

/** Sends a call to which the server may respond with a task, and waits for the result of the task. */
async function follow({ completeWithTasks }: SessionToolCall, during: CallContext): Promise<unknown> {
  const { upstream, result } = await completeWithTasks(during);
  const started = extensionTasks.readContinued(result);
  return started ? new RelayedTask(upstream, started).run(during) : result;
}

/** True if a server rejects a call because it only runs as a task, and the client has not declared tasks. */
function needsTasks(error: unknown, revision: Revision): boolean {
  if (!isMissingCapabilityError(error)) return false;
  const { extensions } = error.requiredCapabilities;
  const id = extensionOf(revision);
  return id !== undefined && isObject(extensions) && Object.hasOwn(extensions, id);
}

/** Returns the id of the extension by which a revision has tasks. */
function extensionOf({ clientRequests }: Revision): string | undefined {
  return findRow(clientRequests, "getTask")?.needs?.path.at(-1);
}
