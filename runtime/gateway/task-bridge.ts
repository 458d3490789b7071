import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/method-rows.ts";
import { missingCapability } from "../protocol/stateless-request.ts";
import type { CallContext } from "../protocol/incoming-call.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import { isOpen, type Capabilities, type Session } from "../protocol/session.ts";
import { readAuth } from "../server/context.ts";
import { serveTasks, type ServedTasks } from "../server/tasks/extension-tasks.ts";
import type { ListenMore } from "../server/subscriptions/listen.ts";
import type { Listeners } from "../server/subscriptions/listeners.ts";
import { toCreated } from "../tasks/detailed-task.ts";
import { createTaskHandlers } from "../tasks/task-handlers.ts";
import { TaskManager } from "../tasks/task-manager.ts";
import type { TaskOptions, TaskTerms } from "../tasks/task-options.ts";
import { taskGate, toTaskState } from "../tasks/task.ts";
import { toRejection, toResult } from "./convert-messages.ts";
import { TaskNotifications } from "./task-notifications.ts";
import { TaskOwners } from "./task-owners.ts";
import { declareTasks, hasTasks, styleOf, type TaskProtocol } from "./task-protocol.ts";
import type { ToolList } from "./tool-list.ts";
import { gatewayItself, type Principal } from "./principal.ts";
import type { Listener, Upstream } from "./upstream.ts";

/** Parts of a gateway that its tasks use. */
export interface TaskBridgeOptions {
  /** Session of the gateway with the server. */
  readonly server: Session;
  readonly listeners: Listeners;
  readonly tools: ToolList;
  readonly tasks: TaskOptions | undefined;
  /** Opens a connection to the server for a principal. */
  open(principal: Principal, listener: Listener): Promise<Upstream>;
  readonly onError: OnError;
}

/** Call of a tool that continues as a task of the gateway, which represents one of the server. */
export interface BridgedTask {
  readonly row: RequestRow;
  readonly ttl: number | undefined;
  readonly terms: TaskTerms;
  run(during: CallContext): Promise<unknown>;
  /** Called instead of `run` if the task has ended before it was run. */
  spared?(): void;
}

/**
 * Tasks of the clients of a gateway. If server and client both use the tasks extension, the tasks are the server's own. Otherwise, each is a
 * task of the gateway that represents one of the server, and belongs only to the client.
 */
export class TaskBridge {
  /** Kind of tasks of the server, if it has tasks. */
  readonly server: TaskProtocol | undefined;
  readonly tools: ToolList;
  readonly #listeners: Listeners;
  readonly #manager: TaskManager;
  /** Owners of the tasks of the server, by principal. */
  readonly owners: TaskOwners = new TaskOwners();
  readonly #news: TaskNotifications;
  readonly #served = new Map<Revision, ServedTasks>();

  constructor({ server, listeners, tools, tasks, onError, open }: TaskBridgeOptions) {
    this.server = hasTasks(server) ? styleOf(server.revision) : undefined;
    this.tools = tools;
    this.#listeners = listeners;
    const principal = declareTasks(gatewayItself, server.revision);
    this.#news = new TaskNotifications({
      open: (listener) => open(principal, listener),
      notify: (topic, task) => listeners.notifyTopic(topic, "taskStatus", task),
    });
    this.#manager = new TaskManager({
      ...tasks,
      onError,
      principalOf: ({ origin }) => readAuth(origin)?.principal,
    });
  }

  /** Returns the kind of the gateway's own tasks for clients at a revision, if there are any. */
  styleAt(revision: Revision): TaskProtocol | undefined {
    const style = this.server && styleOf(revision);
    return style === "extension" && this.server === "extension" ? undefined : style;
  }

  /** True if a request is about a task of the server that no task of the gateway represents. */
  isOfServer({ needs, handler }: RequestRow): boolean {
    return this.server === "extension" && needs !== undefined && aboutTasks.has(handler);
  }

  /** Returns the task capabilities at a revision, without extensions. */
  capabilitiesAt(revision: Revision): Capabilities {
    const isCore = this.styleAt(revision) === "core";
    return isCore ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {};
  }

  /** Returns the handlers of task requests at a revision. */
  handlersAt(revision: Revision): object {
    switch (this.styleAt(revision)) {
      case "core":
        return createTaskHandlers(this.#manager);
      case "extension":
        return this.#servedAt(revision).handlers;
      default:
        return {};
    }
  }

  /**
   * Returns the handler of subscriptions to tasks at a revision. For the server's own tasks, it passes on what the server notifies the gateway of.
   */
  listenAt(revision: Revision): ListenMore {
    if (this.styleAt(revision) === "extension") return this.#servedAt(revision).listen;
    const gate = findRow(revision.clientRequests, "getTask")?.needs;
    return async ({ taskIds }, call) => {
      if (!Array.isArray(taskIds) || !gate) return { filter: {}, topics: [] };
      if (!isOpen(gate, call.session)) throw missingCapability(revision, gate);
      const ids = [...new Set(taskIds.filter((id) => typeof id === "string"))];
      const own = ids.filter((id) => this.owners.isOwn(call, id));
      const [honoured, topic] = await this.#news.watch(own, call.signal);
      return honoured.length > 0 ? { filter: { taskIds: honoured }, topics: [topic] } : { filter: {}, topics: [] };
    };
  }

  /** True if a client may run this call as a task of the gateway. */
  isOffered(row: RequestRow, { revision, session }: CallContext): boolean {
    if (row.handler !== "callTool") return false;
    const style = this.styleAt(revision);
    const gate = style === "core" ? taskGate(row, "server") : findRow(revision.clientRequests, "getTask")?.needs;
    return style !== undefined && gate !== undefined && isOpen(gate, session);
  }

  /**
   * True if the gateway decides that a call becomes a task: clients leave that to the server, and the tool supports it.
   *
   * @throws {RpcError} when the tool only runs as a task, and the client does not declare tasks
   */
  decides(row: RequestRow, params: unknown, call: CallContext): boolean {
    if (row.handler !== "callTool" || this.styleAt(call.revision) !== "extension") return false;
    const support = this.tools.supportOf(params);
    const isOffered = this.isOffered(row, call);
    const gate = findRow(call.revision.clientRequests, "getTask")?.needs;
    if (support === "required" && !isOffered && gate) throw missingCapability(call.revision, gate);
    return isOffered && (support === "required" || support === "optional");
  }

  /** Continues a call as a task, and returns the response that names the task. */
  async begin(call: CallContext, { row, ttl, terms, run, spared }: BridgedTask): Promise<object> {
    const { revision } = call;
    const work = async (during: CallContext): Promise<unknown> => {
      try {
        return toResult(await run(during), row.handler, revision);
      } catch (error) {
        throw toRejection(error, row.method, revision);
      }
    };
    const isCore = this.styleAt(revision) === "core";
    const keeping = isCore ? {} : { keeping: this.#servedAt(revision).keeping };
    const record = await this.#manager.begin(call, { row, ttl, terms, work, ...keeping, ...(spared && { spared }) });
    return isCore ? { task: toTaskState(record) } : toCreated(record);
  }

  /** Returns tools as clients see them. If the server itself decides what becomes a task, every call can be a task of the gateway. */
  showTools(result: unknown, revision: Revision): unknown {
    const isAdded = this.styleAt(revision) === "core" && this.server === "extension";
    if (!isAdded || !isObject(result) || !Array.isArray(result.tools)) return result;
    const execution = { taskSupport: "optional" };
    return { ...result, tools: result.tools.filter(isObject).map((tool) => ({ ...tool, execution })) };
  }

  async close(): Promise<void> {
    await Promise.all([this.#manager.close(), this.#news.close()]);
  }

  #servedAt(revision: Revision): ServedTasks {
    const known = this.#served.get(revision);
    if (known) return known;
    const served = serveTasks(this.#manager, { revision, audience: this.#listeners });
    this.#served.set(revision, served);
    return served;
  }
}

const aboutTasks: ReadonlySet<string> = new Set(["getTask", "updateTask", "cancelTask"]);
