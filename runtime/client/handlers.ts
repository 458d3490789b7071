import { isObject, type Revision } from "../../generated/support.ts";
import type { ListKind } from "../protocol/methods/list-kinds.ts";
import type { Elicitation } from "./input/elicitation.ts";
import type { Listening } from "./subscriptions/listen.ts";
import type { RootsKeeper } from "./input/roots.ts";
import { createSampling } from "./input/sampling.ts";
import { toClientCapabilities } from "./capabilities.ts";
import { createTaskHandlers } from "../tasks/task-handlers.ts";
import type { TaskManager } from "../tasks/task-manager.ts";
import { isTaskState } from "../tasks/task.ts";
import type { NotificationHandler } from "../protocol/session/call-context.ts";
import type { AnyClientOptions } from "./options.ts";
import { implementNotification, implementRequests } from "./methods/method-handlers.ts";
import type { TaskListening } from "./tasks/task-listening.ts";
import { respondAsTask, relateToTask } from "./tasks/task-responses.ts";

/** Receiver of the notifications of a server. */
export interface NotificationSink {
  listChanged(list: ListKind): void;
  resourceUpdated(uri: string): void;
  log(entry: object): void;
  taskChanged(taskId: string): void;
  /** Receives messages for subscription requests, at revisions with such requests. */
  readonly listening: Pick<Listening, "isOffered" | "hears" | "accept" | "cancelled">;
  readonly taskListening: Pick<TaskListening, "accept" | "cancelled">;
}

/** Parts of a session used to handle requests of the server. */
export interface HandlerParts {
  readonly roots: RootsKeeper;
  readonly elicitation: Elicitation;
  readonly board: NotificationSink;
  readonly tasks: TaskManager;
}

/** Returns the handlers by name for one revision. A request not offered has no handler. */
export function createClientHandlers(source: AnyClientOptions, revision: Revision, parts: HandlerParts): object {
  const { roots, elicitation, tasks } = parts;
  const declared = toClientCapabilities(source, revision);
  return {
    ...(roots.isOffered && { listRoots: relateToTask((_, call) => roots.list(call)) }),
    ...(source.sampling && {
      createMessage: respondAsTask("createMessage", createSampling(source.sampling), { revision, tasks }),
    }),
    ...(source.elicitation &&
      declared.elicitation !== undefined && {
        elicit: respondAsTask("elicit", (params, call) => elicitation.elicit(params, call), { revision, tasks }),
      }),
    ...(declared.tasks !== undefined && createTaskHandlers(tasks)),
    ...implementRequests(source, revision),
    ...createNotificationHandlers(source, revision, parts),
  };
}

/** Notifications of subscription requests, at revisions with such requests. */
const subscribed: ReadonlySet<string> = new Set([
  "toolListChanged",
  "resourceListChanged",
  "promptListChanged",
  "resourceUpdated",
]);

/** Returns the handlers of notifications: the session's, then the user's. */
function createNotificationHandlers(
  source: AnyClientOptions,
  revision: Revision,
  { board, elicitation }: HandlerParts,
): object {
  const { listening, taskListening } = board;
  const own: Readonly<Record<string, (params: unknown) => void>> = {
    elicitationComplete: (params) => elicitation.complete(params),
    taskStatus(params) {
      if (isTaskState(params)) board.taskChanged(params.taskId);
    },
    toolListChanged: () => board.listChanged("tools"),
    resourceListChanged: () => board.listChanged("resources"),
    promptListChanged: () => board.listChanged("prompts"),
    resourceUpdated(params) {
      if (isObject(params) && typeof params.uri === "string") board.resourceUpdated(params.uri);
    },
    subscriptionsAcknowledged(params) {
      listening.accept(params);
      taskListening.accept(params);
    },
    cancelled(params) {
      listening.cancelled(params);
      taskListening.cancelled(params);
    },
    loggingMessage(params) {
      if (isObject(params)) board.log(params);
    },
  };
  const handlers = Object.values(revision.serverNotifications).map(({ handler }): [string, NotificationHandler] => {
    const given = implementNotification(source, handler);
    return [
      handler,
      (params, connection) => {
        // A notification without a subscription request of this client is ignored.
        if (subscribed.has(handler) && listening.isOffered && !listening.hears(params)) return undefined;
        own[handler]?.(params);
        return given?.(params, connection);
      },
    ];
  });
  return Object.fromEntries(handlers);
}
