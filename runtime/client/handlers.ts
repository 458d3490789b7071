import { isObject, type Revision } from "../../generated/support.ts";
import type { ListKind } from "../common/lists.ts";
import type { Elicitation } from "./elicitation.ts";
import type { RootsKeeper } from "./roots.ts";
import { createSampling } from "./sampling.ts";
import { toClientCapabilities } from "./capabilities.ts";
import { createTaskHandlers } from "../tasks/task-handlers.ts";
import type { TaskManager } from "../tasks/task-manager.ts";
import { isTaskState } from "../tasks/task.ts";
import type { ClientSource } from "./source.ts";
import { answerAsTask, tieToTask } from "./task-answers.ts";

/** Where the notifications of a server go. */
export interface NoticeBoard {
  listChanged(list: ListKind): void;
  resourceUpdated(uri: string): void;
  log(entry: object): void;
  taskChanged(taskId: string): void;
}

/** What answers a server in one session. */
export interface AnswerParts {
  readonly roots: RootsKeeper;
  readonly elicitation: Elicitation;
  readonly board: NoticeBoard;
  readonly tasks: TaskManager;
}

/** Handlers by name for one revision; what is not offered has none. */
export function createClientHandlers(source: ClientSource, revision: Revision, parts: AnswerParts): object {
  const { roots, elicitation, board, tasks } = parts;
  const declared = toClientCapabilities(source, revision);
  return {
    ...(roots.isOffered && { listRoots: tieToTask((_, call) => roots.list(call)) }),
    ...(source.sampling && {
      createMessage: answerAsTask("createMessage", createSampling(source.sampling), { revision, tasks }),
    }),
    ...(declared.elicitation !== undefined && {
      elicit: answerAsTask("elicit", (params, call) => elicitation.elicit(params, call), { revision, tasks }),
      elicitationComplete: (params: unknown) => elicitation.complete(params),
    }),
    ...(declared.tasks !== undefined && createTaskHandlers(tasks)),
    taskStatus(params: unknown) {
      if (isTaskState(params)) board.taskChanged(params.taskId);
    },
    toolListChanged: () => board.listChanged("tools"),
    resourceListChanged: () => board.listChanged("resources"),
    promptListChanged: () => board.listChanged("prompts"),
    resourceUpdated(params: unknown) {
      if (isObject(params) && typeof params.uri === "string") board.resourceUpdated(params.uri);
    },
    loggingMessage(params: unknown) {
      if (isObject(params)) board.log(params);
    },
  };
}
