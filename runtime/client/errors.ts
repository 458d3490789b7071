import { RpcError, hasName } from "../jsonrpc/errors.ts";
import { describeIssues, type SchemaIssue } from "../protocol/methods/schema-issue.ts";

/**
 * Error for values of a form handler which do not fit the form. Check them with `context.check` and ask the user again.
 *
 * @example
 * ```ts
 * import { FormError, isFormError } from "mcp-server-runtime";
 *
 * const report = (error: unknown): string => (isFormError(error) ? `Correct the form: ${error.message}` : "Try again");
 * ```
 */
export class FormError extends Error {
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    super(`The values do not match the requested schema and were not sent:\n${describeIssues(issues)}`);
    this.name = "FormError";
    this.issues = issues;
  }
}

/** Error for structured content of a tool which does not fit the tool's output schema. */
export class ToolOutputError extends Error {
  readonly tool: string;
  readonly issues: readonly SchemaIssue[];
  /** Result of the tool. Do not trust it. */
  readonly result: unknown;

  constructor(tool: string, problem: { readonly issues: readonly SchemaIssue[]; readonly result: unknown }) {
    super(`The result of tool "${tool}" does not match its output schema:\n${describeIssues(problem.issues)}`);
    this.name = "ToolOutputError";
    this.tool = tool;
    this.issues = problem.issues;
    this.result = problem.result;
  }
}

/** Error for a list of the server without an end, or beyond its bounds. */
export class IncompleteListError extends Error {
  /** Items read before the error, if a whole list was requested. */
  readonly items: readonly unknown[];
  readonly #problem: string;

  constructor(problem: string, items: readonly unknown[] = []) {
    super(`The list of the server ${problem}; request it page by page`);
    this.name = "IncompleteListError";
    this.items = items;
    this.#problem = problem;
  }

  /** Returns the same error with the items read before it. */
  with(items: readonly unknown[]): IncompleteListError {
    return new IncompleteListError(this.#problem, items);
  }
}

/** True if a value is an `IncompleteListError`, also one of another copy of this package. */
export function isIncompleteListError(value: unknown): value is IncompleteListError {
  return hasName(value, ["IncompleteListError"]);
}

/** Error for a server which did not agree to notify of changes of something. */
export class SubscriptionError extends Error {
  /** URIs of resources, or names of lists. */
  readonly subjects: readonly string[];

  constructor(subjects: readonly string[]) {
    super(
      `The server does not notify about changes of ${subjects.join(", ")}; check the name and the server capabilities`,
    );
    this.name = "SubscriptionError";
    this.subjects = subjects;
  }
}

/** True if a value is a `SubscriptionError`, also one of another copy of this package. */
export function isSubscriptionError(value: unknown): value is SubscriptionError {
  return hasName(value, ["SubscriptionError"]);
}

/** Error for a call left incomplete, because the server needs input and does not get it. */
export class InputRequiredError extends Error {
  /** Result sent by the server instead of the final one. Continue with `session.request("tools/call", ...)`, or drop it. */
  readonly result: object;

  constructor(problem: string, result: object) {
    super(`The server requires input ${problem}`);
    this.name = "InputRequiredError";
    this.result = result;
  }
}

/** True if a value is an `InputRequiredError`, also one of another copy of this package. */
export function isInputRequiredError(value: unknown): value is InputRequiredError {
  return hasName(value, ["InputRequiredError"]);
}

/** True if a value is a `FormError`, also one of another copy of this package. */
export function isFormError(value: unknown): value is FormError {
  return hasName(value, ["FormError"]);
}

/** True if a value is a `ToolOutputError`, also one of another copy of this package. */
export function isToolOutputError(value: unknown): value is ToolOutputError {
  return hasName(value, ["ToolOutputError"]);
}

/**
 * Returns the rejection of a sampling request by the user: throw it from the handler.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
 * @example
 * ```ts
 * import { connectHttp, createClient, rejectedByUser } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const client = createClient<Declarations>({
 *   info: { name: "my-client", version: "1.0.0" },
 *   revisions,
 *   sampling: { createMessage: () => Promise.reject(rejectedByUser()) },
 * });
 * ```
 */
export function rejectedByUser(message = "User rejected sampling request"): RpcError {
  return new RpcError(-1, message);
}
