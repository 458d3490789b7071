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
import { toRefusal, toResult } from "./convert-messages.ts";
import { TaskNotifications } from "./task-notifications.ts";
import { TaskOwners } from "./task-owners.ts";
import { declareTasks, hasTasks, styleOf, type TaskProtocol } from "./task-protocol.ts";
import type { ToolList } from "./tool-list.ts";
import { gatewayItself, type Listener, type Principal, type Upstream } from "./upstream.ts";

/** What tasks need of their gateway. */
export interface TaskBridgeOptions {
  /** With the server. */
  readonly server: Session;
  readonly listeners: Listeners;
  readonly tools: ToolList;
  readonly tasks: TaskOptions | undefined;
  /** Opens a connection to the server. */
  open(principal: Principal, listener: Listener): Promise<Upstream>;
  readonly onError: OnError;
}

/** A call of a tool that goes on as a task of the gateway, which stands for one of the server. */
export interface BridgedTask {
  readonly row: RequestRow;
  readonly ttl: number | undefined;
  readonly terms: TaskTerms;
  run(during: CallContext): Promise<unknown>;
  /** Nobody wants it any more, and it was never run. */
  spared?(): void;
}

/**
 * The tasks that clients of the gateway have. Where server and client have the same kind without sessions, the gateway is not needed: theirs
 * are the server's own. Elsewhere each is a task of the gateway that stands for one of the server, and belongs to the client alone.
 */
export class TaskBridge {
  /** How the server has tasks. */
  readonly server: TaskProtocol | undefined;
  readonly tools: ToolList;
  readonly #listeners: Listeners;
  readonly #manager: TaskManager;
  /** Whose the tasks of the server are. */
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

  /** How clients have tasks of the gateway at a revision. */
  styleAt(revision: Revision): TaskProtocol | undefined {
    const style = this.server && styleOf(revision);
    return style === "extension" && this.server === "extension" ? undefined : style;
  }

  /** Whether a request is about a task of the server, which no task of the gateway stands for. */
  isOfServer({ needs, handler }: RequestRow): boolean {
    return this.server === "extension" && needs !== undefined && aboutTasks.has(handler);
  }

  /** What is declared of tasks at a revision, besides extensions. */
  capabilitiesAt(revision: Revision): Capabilities {
    const isCore = this.styleAt(revision) === "core";
    return isCore ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {};
  }

  /** What answers for tasks at a revision. */
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

  /** What can be heard of tasks: of those that are the server's own, what it tells the gateway. */
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

  /** Whether a client may have this call as a task of the gateway. */
  isOffered(row: RequestRow, { revision, session }: CallContext): boolean {
    if (row.handler !== "callTool") return false;
    const style = this.styleAt(revision);
    const gate = style === "core" ? taskGate(row, "server") : findRow(revision.clientRequests, "getTask")?.needs;
    return style !== undefined && gate !== undefined && isOpen(gate, session);
  }

  /**
   * Whether a call becomes a task because the gateway decides so: where clients leave that to the server, and the tool can. Throws when it
   * has to be one, and the client does not know them.
   */
  decides(row: RequestRow, params: unknown, call: CallContext): boolean {
    if (row.handler !== "callTool" || this.styleAt(call.revision) !== "extension") return false;
    const support = this.tools.supportOf(params);
    const isOffered = this.isOffered(row, call);
    const gate = findRow(call.revision.clientRequests, "getTask")?.needs;
    if (support === "required" && !isOffered && gate) throw missingCapability(call.revision, gate);
    return isOffered && (support === "required" || support === "optional");
  }

  /** Lets a call go on as a task, and answers it. */
  async begin(call: CallContext, { row, ttl, terms, run, spared }: BridgedTask): Promise<object> {
    const { revision } = call;
    const work = async (during: CallContext): Promise<unknown> => {
      try {
        return toResult(await run(during), row.handler, revision);
      } catch (error) {
        throw toRefusal(error, row.method, revision);
      }
    };
    const isCore = this.styleAt(revision) === "core";
    const keeping = isCore ? {} : { keeping: this.#servedAt(revision).keeping };
    const record = await this.#manager.begin(call, { row, ttl, terms, work, ...keeping, ...(spared && { spared }) });
    return isCore ? { task: toTaskState(record) } : toCreated(record);
  }

  /** Tools as clients learn of them: where the server decides by itself what becomes a task, every call can be one of the gateway's. */
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
