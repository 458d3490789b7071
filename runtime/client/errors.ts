import { RpcError, hasName } from "../jsonrpc/errors.ts";
import { describeIssues, type SchemaIssue } from "../protocol/schema-issue.ts";

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

/** A list of the server does not end, or not soon enough. */
export class IncompleteListError extends Error {
  /** The items that were read before, where a whole list was asked for. */
  readonly items: readonly unknown[];
  readonly #problem: string;

  constructor(problem: string, items: readonly unknown[] = []) {
    super(`The list of the server ${problem}; read it page by page as far as needed`);
    this.name = "IncompleteListError";
    this.items = items;
    this.#problem = problem;
  }

  /** The same error with the items that were read before it. */
  with(items: readonly unknown[]): IncompleteListError {
    return new IncompleteListError(this.#problem, items);
  }
}

/** True if a value is an `IncompleteListError`, also one of another copy of this package. */
export function isIncompleteListError(value: unknown): value is IncompleteListError {
  return hasName(value, ["IncompleteListError"]);
}

/** The server did not agree to tell of changes of something. */
export class SubscriptionError extends Error {
  /** URIs of resources, or names of lists. */
  readonly subjects: readonly string[];

  constructor(subjects: readonly string[]) {
    super(
      `The server does not tell of changes of ${subjects.join(", ")}: it has no such thing, or offers no subscription.`,
    );
    this.name = "SubscriptionError";
    this.subjects = subjects;
  }
}

/** Whether a value is a `SubscriptionError`, also one of another copy of this package. */
export function isSubscriptionError(value: unknown): value is SubscriptionError {
  return hasName(value, ["SubscriptionError"]);
}

/** A call did not come to its end because the server needs input that it does not get. */
export class InputRequiredError extends Error {
  /** What the server gave instead of the result: go on with it by `session.request("tools/call", ...)`, or let it be. */
  readonly result: object;

  constructor(problem: string, result: object) {
    super(`The server asks for input ${problem}.`);
    this.name = "InputRequiredError";
    this.result = result;
  }
}

/** Whether a value is an `InputRequiredError`, also one of another copy of this package. */
export function isInputRequiredError(value: unknown): value is InputRequiredError {
  return hasName(value, ["InputRequiredError"]);
}

/** Whether a value is a `FormError`, also one of another copy of this package. */
export function isFormError(value: unknown): value is FormError {
  return hasName(value, ["FormError"]);
}

/** Whether a value is a `ToolOutputError`, also one of another copy of this package. */
export function isToolOutputError(value: unknown): value is ToolOutputError {
  return hasName(value, ["ToolOutputError"]);
}

/**
 * The refusal of a sampling request by the user: throw it from the handler.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
 */
export function rejectedByUser(message = "User rejected sampling request"): RpcError {
  return new RpcError(-1, message);
}
