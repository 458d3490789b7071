import type { RequestRow, Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { AnyTool } from "../any-definition.ts";
import type { ToolTaskOptions } from "../definition.ts";

/** Returns the task options of a tool, or undefined if it does not run as a task. */
export function readTaskOptions({ task }: AnyTool): ToolTaskOptions | undefined {
  return task === true ? {} : task;
}

/**
 * Returns the method row of tool calls.
 *
 * @throws {Error} when the revision has no tools.
 */
export function findToolRow(revision: Revision): RequestRow {
  const row = findRow(revision.clientRequests, "callTool");
  if (!row) throw new Error(`Revision ${revision.id} has tasks but no tools`);
  return row;
}
