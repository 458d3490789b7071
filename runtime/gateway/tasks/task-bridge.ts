import type { Revision } from "../../../generated/support.ts";
import { taskProtocolOf } from "../../client/tasks/task-protocol.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import type { Session } from "../../protocol/session/session.ts";
import { readAuth } from "../../server/context.ts";
import { createCoreTasks } from "../../server/tasks/core-tasks.ts";
import { createExtensionTasks } from "../../server/tasks/extension-tasks.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import { TaskManager } from "../../tasks/task-manager.ts";
import type { TaskOptions } from "../../tasks/task-options.ts";
import { taskKindOf, type TaskKind } from "../../tasks/task.ts";
import type { TopicClients } from "../topic-clients.ts";
import type { ToolList } from "../upstream/tool-list.ts";
import { noClientTasks, createCoreClientTasks, createExtensionClientTasks, type ClientTasks } from "./client-tasks.ts";
import { OwnerNotifications, type OwnerNotificationsHost } from "./task-notifications.ts";
import { TaskOwners, createForwardedTasks } from "./forwarded-tasks.ts";
import { noUpstreamTasks, coreUpstreamTasks, extensionUpstreamTasks, type UpstreamTasks } from "./upstream-tasks.ts";

/** Parts of a gateway used by its tasks. */
export interface TaskBridgeOptions {
  /** Session of the gateway with the server. */
  readonly server: Session;
  readonly clients: TopicClients;
  readonly tools: ToolList;
  readonly tasks: TaskOptions | undefined;
  readonly connectionOf: OwnerNotificationsHost["connectionOf"];
  readonly onError: OnError;
}

/**
 * Tasks of a gateway. If server and client both use the tasks extension, the tasks are the server's own. Otherwise, each is a task of the gateway in
 * place of one of the server, and belongs to this client only.
 */
export class TaskBridge {
  readonly tools: ToolList;
  /** Tasks of the server. */
  readonly upstream: UpstreamTasks;
  readonly #kind: TaskKind | undefined;
  readonly #clients: TopicClients;
  readonly #revision: Revision;
  readonly #manager: TaskManager;
  readonly #owners = new TaskOwners();
  readonly #notifications: OwnerNotifications;
  readonly #protocols = new Map<Revision, ClientTasks>();

  constructor({ server, clients, tools, tasks, onError, connectionOf }: TaskBridgeOptions) {
    const { revision } = server;
    this.#revision = revision;
    this.#kind = taskProtocolOf(revision).isDeclared(server) ? taskKindOf(revision) : undefined;
    this.upstream = this.#kind ? upstreamTasks[this.#kind] : noUpstreamTasks;
    this.tools = tools;
    this.#clients = clients;
    this.#notifications = new OwnerNotifications({
      connectionOf,
      notify: (topic, task) => clients.notifyHere(topic, "taskStatus", task),
    });
    this.#manager = new TaskManager({
      ...tasks,
      onError,
      principalOf: ({ origin }) => readAuth(origin)?.principal,
    });
  }

  /** Shares the tasks with the other nodes of a cluster. Only the node of a task has a connection to the server's task. */
  share(node: TaskNode): void {
    this.#manager.share({ node, written: this.#revision, isOffered: () => this.#kind !== undefined });
  }

  /** Shares the owners of the tasks of the server with the other nodes of a cluster. */
  useCluster({ values }: SharedParts): void {
    this.#owners.share(values);
  }

  /** Returns the tasks for clients at a revision. */
  at(revision: Revision): ClientTasks {
    const known = this.#protocols.get(revision);
    if (known) return known;
    const created = this.#create(revision);
    this.#protocols.set(revision, created);
    return created;
  }

  async close(): Promise<void> {
    await Promise.all([this.#manager.close(), this.#notifications.close()]);
  }

  #create(revision: Revision): ClientTasks {
    const kind = this.#kind && taskKindOf(revision);
    if (!kind) return noClientTasks;
    if (kind === "core") return createCoreClientTasks(createCoreTasks(this.#manager, revision), this.upstream);
    if (this.#kind === "extension") {
      return createForwardedTasks(revision, { owners: this.#owners, notifications: this.#notifications });
    }
    const protocol = createExtensionTasks(this.#manager, { revision, audience: this.#clients });
    return createExtensionClientTasks(protocol, this.tools);
  }
}

const upstreamTasks: Readonly<Record<TaskKind, UpstreamTasks>> = {
  core: coreUpstreamTasks,
  extension: extensionUpstreamTasks,
};
