import { isObject, type Awaitable, type Gate, type Issue, type Revision } from "../../../generated/support.ts";
import { firstInputRequests } from "../../protocol/methods/input-request-limit.ts";
import { findMethod, findRow } from "../../protocol/methods/method-rows.ts";
import { missingCapability, toStatelessError } from "../../protocol/peer/stateless-request.ts";
import { attempt } from "../../internal/maybe-async.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { readOpenRequests, type TaskKey, type TaskRecord } from "../../stores/task-store.ts";
import { StoredInputRequests } from "../../tasks/requestor-channel.ts";
import type { TaskManager } from "../../tasks/task-manager.ts";
import type { TaskOwnership } from "../../tasks/task-request.ts";
import { toTaskState, withStore } from "../../tasks/task.ts";
import { checkInputResponse } from "../input/check-input.ts";
import { createRoundTripInputRunner } from "../input/session-input.ts";
import { readAuth, type ContextParts } from "../context.ts";
import type { Implemented, ReadExtensionFilter } from "../feature.ts";
import type { CallToolParams, ServedHandler, ServedHandlers } from "../methods/served-handlers.ts";
import type { RevisionServer } from "../revision-server.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";
import { afterPreparation, preparationOf, withPreparation } from "../tools/prepared-tool.ts";
import type { AnyTool } from "../any-definition.ts";
import { setToolRestorer, toTaskRetry, findToolRow, readTaskOptions, type ServerTaskProtocol } from "./tool-tasks.ts";

/**
 * Runs tool calls as tasks by the tasks extension. The client declares support with each request, and the server decides.
 *
 * @throws {Error} when the revision does not define the client capability for tasks.
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export function implementExtensionTasks(tasks: TaskManager, server: RevisionServer, tools: ToolRegistry): Implemented {
  const protocol = createExtensionTasks(tasks, { revision: server.revision, audience: server.parts.sessions });
  const { handlers, listen } = protocol;
  return { handlers: { ...handlers, callTool: createCallTool(server, { ...protocol, tools, tasks }) }, listen };
}

/**
 * Returns the protocol of tasks of the tasks extension.
 *
 * @throws {Error} when the revision does not define the client capability for tasks.
 */
export function createExtensionTasks(
  tasks: TaskManager,
  {
    revision,
    audience,
  }: {
    readonly revision: Revision;
    readonly audience: Pick<SessionRegistry, "notifyTopic"> & Partial<Pick<SessionRegistry, "audiences">>;
  },
): ServerTaskProtocol & { readonly listen: ReadExtensionFilter; readonly ownership: TaskOwnership } {
  const gate = findTaskGate(revision);
  const keyOf = (call: CallContext, id: string): TaskKey => ({ id, owner: ownerOf(call, id) });
  const checkStored = (request: unknown, response: unknown): Issue | undefined => {
    const { method, params } = isObject(request) ? request : {};
    const row = findMethod(revision.embeddedRequests, String(method));
    return row && checkInputResponse(row, params, response);
  };
  const handlers: ServedHandlers = {
    getTask: async ({ taskId }, call) => toDetailed(await withStore(() => tasks.read(keyOf(call, taskId)))),
    async updateTask({ taskId, inputResponses }, call) {
      await withStore(() => tasks.respond(keyOf(call, taskId), inputResponses, checkStored));
      return {};
    },
    async cancelTask({ taskId }, call) {
      await withStore(() => tasks.stop(keyOf(call, taskId)));
      return {};
    },
  };
  // Input requests of the work are kept in the task. Only those before the task begins use multi round-trip requests.
  const createChannel = (_call: CallContext, record?: TaskRecord): StoredInputRequests =>
    new StoredInputRequests({
      check: checkInputResponse,
      record,
      notifyStatus: (record) => audience.notifyTopic(topicOf(record.id), "taskStatus", toDetailed(record)),
    });
  const ownership = { ownerOf, createChannel };
  return {
    gate,
    handlers,
    ownership,
    listen: createListen(gate, async (id, call) => {
      const key = keyOf(call, id);
      const isShared = audience.audiences?.some((other) => other.isShared);
      return isShared ? (await tasks.read(key)) !== undefined : tasks.isHeard(key);
    }),
    async start(call, request) {
      return toCreated(await tasks.begin(call, { ...request, ownership }));
    },
  };
}

/** Returns the owner of a task: its principal, on every connection. A task without a principal is open to any client with its id. */
function ownerOf({ origin }: CallContext, id: string): string {
  const principal = readAuth(origin)?.principal;
  return principal === undefined ? `task:${id}` : `alone:${principal}`;
}

function createCallTool(
  server: RevisionServer,
  {
    gate,
    start,
    ownership,
    tools,
    tasks,
  }: ServerTaskProtocol & {
    readonly ownership: TaskOwnership;
    readonly tools: ToolRegistry;
    readonly tasks: TaskManager;
  },
): ServedHandler<CallToolParams> {
  const { revision } = server;
  const row = findToolRow(revision);
  const inside: ContextParts = {
    message: server.message,
    levels: server.levels,
    inputRunner: createRoundTripInputRunner(undefined),
  };
  const runInside = (tool: AnyTool, args: object, params: CallToolParams) => (during: CallContext) =>
    attempt(
      () =>
        inside.inputRunner.run({ method: row.method, params }, during, (run) =>
          tools.run(tool, args, server.createScope(run, inside)),
        ),
      (error) => {
        throw toStatelessError(error, revision);
      },
    );
  setToolRestorer(tasks, {
    revision,
    ownership,
    find: (name, call) => tools.find(name, server.scope(call)),
    toWork: (tool, params, { prepared }) => runInside(afterPreparation(tool, prepared), params.arguments ?? {}, params),
  });
  return async (params, call) => {
    const { name, arguments: args = {} } = params;
    const tool = tools.find(name, server.scope(call));
    const taskOptions = readTaskOptions(tool);
    const isDeclared = isOpen(gate, call.session);
    if (taskOptions?.support === "required" && !isDeclared) throw missingCapability(revision, gate);
    const run = (running: AnyTool): Awaitable<object> =>
      server.inputRunner.run({ method: row.method, params }, call, (during) =>
        tools.run(running, args, server.scope(during)),
      );
    if (!taskOptions || !isDeclared) return run(withPreparation(tool));
    let ready: { readonly args: unknown } | undefined;
    const response = await run(preparationOf(tool, (found) => (ready = { args: found })));
    // Invalid arguments, and input that is required first, need no task.
    if (!ready) return response;
    const work = runInside(afterPreparation(tool, ready.args), args, params);
    return start(call, { row, ttl: undefined, taskOptions, work, ...toTaskRetry(call, tool, { params, ready }) });
  };
}

/**
 * Returns the capability clients must declare with every request about tasks.
 *
 * @throws {Error} when the revision does not define it.
 */
export function findTaskGate(revision: Revision): Gate {
  const gate = findRow(revision.clientRequests, "getTask")?.needs;
  if (!gate) throw new Error(`Revision ${revision.id} has no client capability for tasks`);
  return gate;
}

/**
 * Creates the reader of task ids in filters. It leaves out unknown tasks and tasks of other owners. Tasks of other processes are left out, too,
 * unless the processes share their notifications.
 */
function createListen(gate: Gate, find: (id: string, call: CallContext) => Promise<boolean>): ReadExtensionFilter {
  return async (asked, call) => {
    const { taskIds } = asked;
    if (!Array.isArray(taskIds)) return { filter: {}, topics: [] };
    if (!isOpen(gate, call.session)) throw missingCapability(call.revision, gate);
    const ids = [...new Set(taskIds.filter((id) => typeof id === "string"))];
    const found = await Promise.all(ids.map((id) => find(id, call).catch(() => false)));
    const honoured = ids.filter((_, index) => found[index]);
    return { filter: honoured.length > 0 ? { taskIds: honoured } : {}, topics: honoured.map(topicOf) };
  };
}

function topicOf(taskId: string): string {
  return `task:${taskId}`;
}

/** Converts a record to the form of the tasks extension, with the members of its status. A failed tool counts as completed. */
function toDetailed(record: TaskRecord): object {
  const { status, outcome } = record;
  const head = toHead(record);
  if (outcome?.kind === "result") return { ...head, status: "completed", result: outcome.result };
  if (outcome?.kind === "error") return { ...head, error: outcome.error };
  if (status !== "input_required") return head;
  const inputRequests = firstInputRequests(Object.entries(readOpenRequests(record)));
  return Object.keys(inputRequests).length > 0 ? { ...head, inputRequests } : { ...head, status: "working" };
}

/** Creates the result of a request continued as a task. */
function toCreated(record: TaskRecord): object {
  return { resultType: "task", ...toHead(record) };
}

function toHead(record: TaskRecord): object {
  const { ttl, pollInterval = 0, ...head } = toTaskState(record);
  // The protocol requires a whole number.
  return { ...head, ttlMs: ttl, pollIntervalMs: Math.max(1, Math.round(pollInterval)) };
}
