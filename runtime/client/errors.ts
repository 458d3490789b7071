import { RpcError } from "../rpc/errors.ts";
import { describeIssues, type SchemaIssue } from "../common/schema-issue.ts";

/** The values that a form handler returned do not fit the form. Check them with `context.check` and ask the user again. */
export class FormError extends Error {
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    super(
      `The values do not fit the form that the server asked for, so they were not sent:\n${describeIssues(issues)}`,
    );
    this.name = "FormError";
    this.issues = issues;
  }
}

/** A tool gave structured content that does not fit its output schema. */
export class ToolOutputError extends Error {
  readonly tool: string;
  readonly issues: readonly SchemaIssue[];
  /** What the tool gave; not to be trusted. */
  readonly result: unknown;

  constructor(tool: string, problem: { readonly issues: readonly SchemaIssue[]; readonly result: unknown }) {
    super(`The result of tool "${tool}" does not fit its output schema:\n${describeIssues(problem.issues)}`);
    this.name = "ToolOutputError";
    this.tool = tool;
    this.issues = problem.issues;
    this.result = problem.result;
  }
}

/** Whether a value is a `FormError`, also one of another copy of this package. */
export function isFormError(value: unknown): value is FormError {
  return value instanceof Error && value.name === "FormError";
}

/** Whether a value is a `ToolOutputError`, also one of another copy of this package. */
export function isToolOutputError(value: unknown): value is ToolOutputError {
  return value instanceof Error && value.name === "ToolOutputError";
}

/**
 * The refusal of a sampling request by the user: throw it from the handler.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
 */
export function rejectedByUser(message = "User rejected sampling request"): RpcError {
  return new RpcError(-1, message);
}
