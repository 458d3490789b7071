import type { Revision } from "../../../generated/support.ts";
import { taskKindOf } from "../../tasks/task.ts";
import { coreTasks } from "./core-tasks.ts";
import { extensionTasks } from "./extension-tasks.ts";
import type { ClientTaskProtocol } from "./task-protocol.ts";

/**
 * Returns the protocol of the tasks of a server at a revision. At a revision without tasks, the protocol of the core rejects every request for a
 * task.
 */
export function taskProtocolOf(revision: Revision): ClientTaskProtocol {
  return taskKindOf(revision) === "extension" ? extensionTasks : coreTasks;
}
