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
import type { AnyClientOptions } from "./any-definition.ts";
import type { TaskListening } from "./tasks/task-notifications.ts";
import { respondAsTask, relateToTask } from "./tasks/task-responses.ts";

/** Receiver of the notifications of a server. */
export interface NotificationSink {
  listChanged(list: ListKind): void;
  resourceUpdated(uri: string): void;
  log(entry: object): void;
  taskChanged(taskId: string): void;
  /** Receives messages for subscription requests, at revisions that have them. */
  readonly listening: Pick<Listening, "isOffered" | "hears" | "accept" | "cancelled">;
  readonly taskListening: Pick<TaskListening, "accept" | "cancelled">;
}

/** Parts of a session that handle requests of the server. */
export interface HandlerParts {
  readonly roots: RootsKeeper;
  readonly elicitation: Elicitation;
  readonly board: NotificationSink;
  readonly tasks: TaskManager;
}

/** Returns the handlers by name for one revision. A feature that is not offered has no handler. */
export function createClientHandlers(source: AnyClientOptions, revision: Revision, parts: HandlerParts): object {
  const { roots, elicitation, board, tasks } = parts;
  const { listening, taskListening } = board;
  /** Ignores a notification that belongs to no subscription request of this client. */
  const heard =
    (take: (params: unknown) => void) =>
    (params: unknown): void => {
      if (!listening.isOffered || listening.hears(params)) take(params);
    };
  const declared = toClientCapabilities(source, revision);
  return {
    ...(roots.isOffered && { listRoots: relateToTask((_, call) => roots.list(call)) }),
    ...(source.sampling && {
      createMessage: respondAsTask("createMessage", createSampling(source.sampling), { revision, tasks }),
    }),
    ...(declared.elicitation !== undefined && {
      elicit: respondAsTask("elicit", (params, call) => elicitation.elicit(params, call), { revision, tasks }),
      elicitationComplete: (params: unknown) => elicitation.complete(params),
    }),
    ...(declared.tasks !== undefined && createTaskHandlers(tasks)),
    taskStatus(params: unknown) {
      if (isTaskState(params)) board.taskChanged(params.taskId);
    },
    toolListChanged: heard(() => board.listChanged("tools")),
    resourceListChanged: heard(() => board.listChanged("resources")),
    promptListChanged: heard(() => board.listChanged("prompts")),
    resourceUpdated: heard((params) => {
      if (isObject(params) && typeof params.uri === "string") board.resourceUpdated(params.uri);
    }),
    subscriptionsAcknowledged(params: unknown) {
      listening.accept(params);
      taskListening.accept(params);
    },
    cancelled(params: unknown) {
      listening.cancelled(params);
      taskListening.cancelled(params);
    },
    loggingMessage(params: unknown) {
      if (isObject(params)) board.log(params);
    },
  };
}
